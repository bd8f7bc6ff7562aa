# The daemon on the emulated arm: real comedi core, real libcomedi, no package yet.
. ./lib_arm.sh
. ./lib_daemon.sh
prepare_daemon
load_arm
start_daemon arm $T/test-arm.toml --unguarded
wait_for "not homed" 60 state_is homing
sleep 2
expect "state before the operator confirms that the arm is in its pose" "$(telemetry state)" homing
command_daemon engage && fail "engaged before homing"
wait_for "homed and idle" 60 home_daemon
at_zero || fail "outputs before engaging: $(cat $ARM/outputs)"
expect "enable line before engaging" "$(($(cat $ARM/digital_out) & 1))" 0
command_daemon engage || fail "engage: $(cat /run/command.log)"
wait_for "engaged" 10 state_is engaged
wait_for "outputs are driven" 10 driven
expect "enable line" "$(($(cat $ARM/digital_out) & 1))" 1

hand 20000 -10000 5000
wait_for "x follows the hand" 20 near_um position0_um 20000 2000
wait_for "y follows the hand" 20 near_um position1_um -10000 2000
# Into the table: the ball's centre may not pass 1 cm above z = -2 cm; the coupling pushes back. A hand
# of 500 N/m that wants to be at -3 cm and a wall through 200 N/m meet between.
hand 0 0 -30000
wait_for "the table pushes the hand up" 20 sh -c "[ \"\$($T/telemetry_value arm | sed -n 's/^force2_uN=//p')\" -gt 1000000 ]"
say "hand at $(telemetry position2_um) um, force $(telemetry force2_uN) uN"
hand 0 0 0
wait_for "hand is back" 20 near_um position2_um 0 3000

# Another scene for an engaged hand, and an invalid one.
cp $T/scene.toml $T/first.toml
sed -i 's|^force = .*|force = 3.0|' $T/scene.toml
kill -HUP "$DAEMON"
wait_for "runs the changed scene" 20 grep -q "in place of" /run/arm.log
expect "state after the change of scene" "$(telemetry state)" engaged
wait_for "outputs are driven" 10 driven
echo 'no_such_key = 1' >>$T/scene.toml
kill -HUP "$DAEMON"
wait_for "an invalid scene is refused" 20 grep -q "scene refused" /run/arm.log
say "$(grep "scene refused" /run/arm.log)"
expect "state after the refusal" "$(telemetry state)" engaged
cp $T/first.toml $T/scene.toml
hand 20000 -10000 5000
wait_for "x follows the hand" 20 near_um position0_um 20000 2000
hand 0 0 0
wait_for "hand is back" 20 near_um position0_um 0 2000

# fault NAME HOW BACK: it must latch within a second or so, with outputs at zero, and be resettable.
fault() {
  name=$1
  wait_for "fault $name" 20 fault_is "$name"
  wait_for "outputs at zero" 2 at_zero
  expect "enable line" "$(($(cat $ARM/digital_out) & 1))" 0
}
again() {
  wait_for "reset" 20 command_daemon reset
  wait_for "idle" 20 state_is idle
  wait_for "engaged" 20 command_daemon engage
  wait_for "driven" 20 driven
}
echo 0 >$ARM/digital_in
fault emergency_stop
command_daemon reset || true
command_daemon engage && fail "engaged with the stop line open"
echo 2 >$ARM/digital_in
again
echo 1 >$ARM/fail_counters
fault device_lost
echo 0 >$ARM/fail_counters
again
# The board is unplugged and returns with its counters reset: no restart, but homing again.
echo 0 >$ARM/plugged
wait_for "node gone" 10 sh -c '! test -e /dev/comedi0'
wait_for "fault device_lost" 20 fault_is device_lost
echo 1 >$ARM/plugged
wait_for "node back" 10 test -c /dev/comedi0
wait_for "outputs of the board that came back are at zero" 10 at_zero
until_reset() { command_daemon reset; state_is homing; }
wait_for "not homed after a reset" 30 until_reset
sleep 1
expect "state until somebody homes it" "$(telemetry state)" homing
wait_for "homed again" 30 home_daemon
expect "enable line before engaging" "$(($(cat $ARM/digital_out) & 1))" 0
wait_for "engaged" 20 command_daemon engage
wait_for "driven" 20 driven
hand 20000 0 0
wait_for "x follows the hand" 20 near_um position0_um 20000 2000
stop_daemon
at_zero || fail "outputs after the end: $(cat $ARM/outputs)"
say "$(grep -c . /run/arm.log) lines of the daemon"
cat /run/arm.log | head -20
