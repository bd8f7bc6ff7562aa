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
sleep 1
near() { # near VALUE WANTED TOLERANCE
  [ "$1" -gt $(($2 - $3)) ] && [ "$1" -lt $(($2 + $3)) ]
}
near "$(cut -d' ' -f1 $ARM/positions)" 300000000 3000000 || fail "joint 1 is not where the hand is: $(cat $ARM/positions)"
near "$(cut -d' ' -f6 $ARM/positions)" -200000000 3000000 || fail "joint 6 is not where the hand is: $(cat $ARM/positions)"
say "joints follow the hand: $(cat $ARM/positions)"
"$BIN/board_probe" faults /dev/comedi0
echo 0 >$ARM/plugged
wait_for "node gone after unplugging" 10 sh -c '! test -e /dev/comedi0'
echo 1 >$ARM/plugged
wait_for "node back" 10 test -c /dev/comedi0
