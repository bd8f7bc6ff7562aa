# The daemon on the emulated Falcon: real libusb, real kernel USB stack, firmware upload, homing, faults.
. ./lib_daemon.sh
. ./lib_falcon.sh
prepare_daemon
falcon_manifest
load_usb
start_falcon boot
wait_for "Falcon enumerated" 30 sh -c 'grep -qs cb48 /sys/bus/usb/devices/*/idProduct'
start_daemon falcon $T/test-falcon.toml --unguarded
wait_for "firmware uploaded and running" 90 value_is firmware /run/falcon.state 1
wait_for "homing" 30 state_is homing
falcon_at_zero || fail "torque before homing"
grip 0 0 0.125
tell falcon home
wait_for "homed and idle" 60 state_is idle
expect "homed flags" "$(value homed /run/falcon.state)" 7
wait_for "grip at its hand" 20 near_um position2_um 5000 2500
falcon_at_zero || fail "torque before engaging"
wait_for "engaged" 20 command_daemon engage

grip 0.02 -0.01 0.13
wait_for "x follows the hand" 20 near_um position0_um 20000 2500
wait_for "y follows the hand" 20 near_um position1_um -10000 2500
say "hand at $(telemetry position0_um) $(telemetry position1_um) $(telemetry position2_um) um," \
  "emulator at $(value position0_um /run/falcon.state) $(value position1_um /run/falcon.state) $(value position2_um /run/falcon.state) um"
pushes() { [ "$(telemetry force2_uN)" -gt 500000 ] && falcon_driven; }
touch_table() {
  grip 0 0 0.09
  wait_for "the table pushes the grip up" 20 pushes
}
touch_table
say "force $(telemetry force2_uN) uN, motors $(value output0 /run/falcon.state) $(value output1 /run/falcon.state) $(value output2 /run/falcon.state)"

# Packets that are broken on the way cost nothing but themselves.
for what in garble truncate shift; do
  tell falcon $what 3
  sleep 1
  expect "state after three replies with $what" "$(telemetry state)" engaged
done

again() {
  wait_for "reset" 60 command_daemon reset
  wait_for "idle" 60 state_is idle
  wait_for "engaged" 20 command_daemon engage
  touch_table
}
kill -STOP "$(cat /run/falcon.pid)"
wait_for "hung device: fault device_lost" 20 fault_is device_lost
kill -CONT "$(cat /run/falcon.pid)"
wait_for "outputs at zero after the hang" 20 falcon_at_zero
again
unplug falcon
wait_for "unplugged: fault device_lost" 20 fault_is device_lost
plug falcon dummy_udc.0
wait_for "replugged device is spoken to" 60 falcon_at_zero
again
stop_daemon
falcon_at_zero || fail "outputs after the end"
cat /run/falcon.log | head -20
