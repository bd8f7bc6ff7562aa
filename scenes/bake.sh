#!/bin/sh
# Makes the meshes and hand scripts of the shipped scenes and bakes them, in the folders of their recipes.
# usage: scenes/bake.sh [path of haptic] [scene ...]
set -eu
haptic=$(command -v "${1:-haptic}") || { echo "bake.sh: no program ${1:-haptic}" >&2; exit 2; }
case $haptic in /*) ;; *) haptic=$PWD/$haptic ;; esac
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- spoon_ball bridge_box hose_bolt alpha_puzzle bin excavator jelly gripper hexbolt bowls chains condensed cloth
cd "$(dirname "$0")"
[ -w . ] || { echo "bake.sh: no right to write in $PWD: copy this folder to one of your own" >&2; exit 2; }

for scene; do
  # A package has the scripts; a fresh clone makes them.
  ls "$scene"/hand*.csv >/dev/null 2>&1 || [ ! -d "$scene" ] || python3 make_hands.py
  parts=$(echo "$scene" | tr _ ' ')
  case $scene in
    spoon_ball)
      "$haptic" mesh spoon -o spoon_ball/spoon.obj
      "$haptic" mesh sphere --length 0.03 -o spoon_ball/ball.obj
      ;;
    bridge_box)
      "$haptic" mesh bridge -o bridge_box/bridge.obj
      "$haptic" mesh box --set size_y=0.03 --set size_z=0.08 -o bridge_box/box.obj
      ;;
    hose_bolt)
      "$haptic" mesh hose -o hose_bolt/hose.obj
      "$haptic" mesh bolt -o hose_bolt/bolt.obj
      ;;
    alpha_puzzle)
      "$haptic" mesh alpha --set gap=0.0144 --set resolution=440 -o alpha_puzzle/alpha.obj
      parts=alpha    # twice in the scene
      ;;
    bin)
      [ -e bin/scene.toml ] || python3 make_bin.py
      "$haptic" mesh bowl -o bin/bowl.obj
      "$haptic" mesh sphere --length 0.03 -o bin/stirrer.obj
      "$haptic" mesh box -o bin/die.obj
      "$haptic" mesh sphere -o bin/marble.obj
      "$haptic" mesh torus -o bin/ring.obj
      parts="bowl stirrer die marble ring"
      ;;
    excavator)
      [ -e excavator/scene.toml ] || python3 make_excavator.py
      bar() { "$haptic" mesh box --set size_x="$2" --set size_y="$3" --set size_z="$3" -o "excavator/$1.obj"; }
      bar boom 0.1703 0.012
      bar stick 0.1216 0.012
      bar rocker 0.04 0.005
      bar rod 0.05 0.005
      "$haptic" mesh box -o excavator/cab.obj
      "$haptic" mesh box -o excavator/rock.obj
      "$haptic" mesh sphere -o excavator/pebble.obj
      "$haptic" mesh bowl --set wall=0.008 -o excavator/bucket.obj
      parts="cab boom stick rocker rod bucket rock pebble"
      ;;
    jelly)
      "$haptic" mesh box -o jelly/cube.obj
      "$haptic" mesh torus -o jelly/ring.obj
      "$haptic" mesh box --set size_x=0.05 --set size_y=0.012 --set size_z=0.04 -o jelly/paddle.obj
      parts="cube ring paddle"
      ;;
    gripper)
      "$haptic" mesh box --set size_x=0.07 --set size_y=0.012 --set size_z=0.024 -o gripper/palm.obj
      "$haptic" mesh box --set size_x=0.012 --set size_y=0.016 --set size_z=0.02 -o gripper/knuckle.obj
      "$haptic" mesh box --set size_x=0.01 --set size_y=0.05 --set size_z=0.02 -o gripper/finger.obj
      "$haptic" mesh sphere --length 0.03 -o gripper/ball.obj
      "$haptic" mesh box -o gripper/cube.obj
      parts="palm knuckle finger ball cube"
      ;;
    hexbolt)
      "$haptic" mesh bolt --set length=0.035 --set slot=0.003 -o hexbolt/bolt.obj
      "$haptic" mesh nut -o hexbolt/nut.obj
      "$haptic" mesh box --set size_x=0.014 --set size_y=0.02 --set size_z=0.0024 -o hexbolt/bit.obj
      parts="nut bolt bit"
      ;;
    bowls)
      [ -e bowls/scene.toml ] || python3 make_bowls.py
      "$haptic" mesh bowl --set wall=0.01 -o bowls/bowl.obj
      "$haptic" mesh sphere --length 0.03 -o bowls/ball.obj
      parts="bowl ball"
      ;;
    chains)
      [ -e chains/scene.toml ] || python3 make_chains.py
      "$haptic" mesh perforated -o chains/plate.obj
      "$haptic" mesh box --set size_x=0.06 --set size_y=0.04 --set size_z=0.012 -o chains/paddle.obj
      parts="plate paddle"
      ;;
    condensed)
      "$haptic" mesh box --set resolution=21 -o condensed/cube.obj
      "$haptic" mesh hand -o condensed/hand.obj
      "$haptic" mesh box --set size_x=0.12 --set size_y=0.024 --set size_z=0.12 --set resolution=48 -o condensed/pad.obj
      parts="cube hand pad"
      ;;
    cloth)
      "$haptic" mesh box --set resolution=21 -o cloth/cube.obj
      parts="curtain flag cube"
      ;;
    *)
      echo "bake.sh: no scene \"$scene\":" \
        "spoon_ball, bridge_box, hose_bolt, alpha_puzzle, bin, excavator, jelly, gripper, hexbolt, bowls, chains," \
        "condensed or cloth" >&2
      exit 2
      ;;
  esac
  for part in $parts; do
    "$haptic" bake "$scene/$part.toml" -o "$scene/$part.h5"
  done
done
