# How long until the Falcon's motors are told zero, over many deaths and stops; and until the daemon lets
# go when the plug is pulled (nothing can be told to a device that is not there).
. ./lib_daemon.sh
. ./lib_falcon.sh
prepare_daemon
falcon_manifest
load_usb
start_falcon running
wait_for "Falcon enumerated" 30 sh -c 'grep -qs cb48 /sys/bus/usb/devices/*/idProduct'
start_daemon falcon $T/test-falcon.toml
wait_for "homing" 60 state_is homing
tell falcon home
wait_for "homed" 60 state_is idle
stop_daemon
grip 0 0 0.09
cyclictest_start
start_guard falcon $T/test-falcon.toml
trials falcon $T/test-falcon.toml kill /run/falcon.state 1
export PLUG_FILE=/sys/kernel/config/usb_gadget/falcon/UDC PLUG_OFF="" PLUG_ON=dummy_udc.0
trials falcon $T/test-falcon.toml unplug telemetry 3
trials falcon $T/test-falcon.toml stop /run/falcon.state 2
stop_guard
cyclictest_end
all_trials_hold
