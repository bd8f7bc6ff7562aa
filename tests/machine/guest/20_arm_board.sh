# The emulated arm's board through the real comedi core and the real libcomedi.
modprobe haptic_test_arm
wait_for "board's node" 20 test -c /dev/comedi0
udevadm settle
expect "group of the node" "$(stat -c '%G %a' /dev/comedi0)" "iocard 660"
expect "driver" "$(cat /proc/comedi | awk '/haptic_test_arm/{print $2; exit}')" haptic_test_arm
expect "outputs after loading" "$(cat $ARM/outputs)" "8192 8192 8192 8192 8192 8192 8192 8192"
"$BIN/board_probe" closed-loop /dev/comedi0
# A joint on its spring-loaded hand: where the hand is, is the joint.
echo 2000000 >$ARM/hand_stiffness
echo "300000000 0 0 0 0 -200000000" >$ARM/hand
near() { # near JOINT WANTED TOLERANCE
  at=$(cut -d' ' -f"$1" $ARM/positions)
  [ "$at" -gt $(($2 - $3)) ] && [ "$at" -lt $(($2 + $3)) ]
}
wait_for "joint 1 is where the hand is" 10 near 1 300000000 3000000
wait_for "joint 6 is where the hand is" 10 near 6 -200000000 3000000
say "joints follow the hand: $(cat $ARM/positions)"
"$BIN/board_probe" faults /dev/comedi0
echo 0 >$ARM/plugged
wait_for "node gone after unplugging" 10 sh -c '! test -e /dev/comedi0'
echo 1 >$ARM/plugged
wait_for "node back" 10 test -c /dev/comedi0
