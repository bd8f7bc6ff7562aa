#!/usr/bin/env python3
"""Writes scenes/bowls/scene.toml: bowls that fall into each other, and a ball in the hand that pushes the stack.

usage: make_bowls.py [BOWLS [OFFSET [FILE]]]    (default: 20, 0, bowls/scene.toml beside this script)

OFFSET is the largest horizontal distance of a bowl from the axis in millimetres; 0: exactly centred. A stack of 20
runs in the daemon. 512 (offset 0 or 0.1) are for `haptic simulate`: a step takes tens of milliseconds.
"""
import math
import pathlib
import sys

sys.dont_write_bytecode = True
from scene_text import HAND, free_body  # noqa: E402

PITCH = 0.0145       # m, from one bowl to the next at rest in it
GAP = 0.004          # m, between the bowls of a small stack at the start
FALL = 0.25          # m, largest fall of the uppermost bowl
SMALL = 50           # bowls; more fall faster and lie under a larger load

HEAD = """# Made by make_bowls.py. {count} bowls fall into each other; a ball in the hand pushes the stack.
defaults = 2
rate_hz = {rate}
length_scale = 1.0
gravity = [0.0, -9.81, 0.0]     # m/s^2
[[body]]
name = "ground"
shape = "plane"
size = 0.4                      # m, the square that is drawn
role = "anchored"
orientation = [0.707106781, -0.707106781, 0.0, 0.0]     # its upper side is y > 0
[[body]]
name = "ball"
model = "ball.h5"
role = "held"
position = [-0.09, 0.15, 0.0]   # m, beside the stack
"""
TWO_WAY = """two_way = true                  # points of a rim in a wall, and of a wall in a rim
"""
DYNAMICS = """[dynamics]
contact_capacity = {contacts}        # points that touch or may come to touch in a step
pair_capacity = {capacity}            # of all pairs of bowls, those that are close share the memory of so many
"""
TAIL = """[[contact]]
among = "free"                  # bowls with each other, the ground and the ball
{ways}stiffness = {stiffness}             # N/m per point
scaling = "none"
damping = 20.0                  # s/m
friction = {{ static = 0.3, dynamic = 0.25 }}
"""


def place(number, offset):
    """Directions and distances that differ from bowl to bowl, not at random: a scene is a fixed text."""
    turn = 2.399963 * number                    # rad, the golden angle
    distance = offset * math.sqrt((0.618034 * number) % 1.0)
    return distance * math.cos(turn), distance * math.sin(turn)


def scene(count, offset):
    # Between bowls that are further apart than four offsets, no rim touches a wall at the start.
    gap = max(min(GAP, FALL / count), 4.0 * offset)
    parts = [HEAD.format(count=count, rate=1000 if count <= SMALL else 2000)]
    for number in range(count):
        x, z = place(number, offset)
        parts.append(free_body(f"bowl{number}", "bowl", (x, gap + number * (PITCH + gap), z), (1.0, 0.0, 0.0, 0.0)))
    small = count <= SMALL
    parts.append(TAIL.format(stiffness="2e4" if small else "2e5", ways="" if small else TWO_WAY))
    parts += [HAND.format(coupling=""), "" if small else DYNAMICS.format(contacts=48 * count, capacity=16 * count)]
    return "".join(parts)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    offset = 1e-3 * float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    file = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else pathlib.Path(__file__).parent / "bowls" / "scene.toml"
    if not 1 <= count <= 512:
        sys.exit(f"make_bowls.py: found {count} bowls, expected 1 to 512")
    if not 0.0 <= offset <= 0.005:
        sys.exit(f"make_bowls.py: found an offset of {sys.argv[2]} mm, expected 0 to 5")
    file.write_text(scene(count, offset), encoding="utf-8")


if __name__ == "__main__":
    main()
