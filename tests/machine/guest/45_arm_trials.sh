# How long until the arm's outputs are zero, over many deaths, stops and pulled plugs.
. ./lib_arm.sh
. ./lib_daemon.sh
prepare_daemon
load_arm
cyclictest_start
trials() { # trials ACTION SEED
  $T/safety_trials "$1" arm "$TRIALS" arm "$2" -- $T/hapticd --scene $T/scene.toml --device $T/test-arm.toml --name arm
}
# A death needs no patience of the guard; a long one spares daemons that the machine itself delays.
start_guard arm $T/test-arm.toml --hang-ms 500
trials kill 1
# The encoders' connector: counters fail, outputs can still be written. The daemon's own reaction.
export PLUG_FILE=$ARM/fail_counters PLUG_OFF=1 PLUG_ON=0
trials unplug 3
stop_guard
start_guard arm $T/test-arm.toml --hang-ms 500
trials stop 2
stop_guard
cyclictest_end
