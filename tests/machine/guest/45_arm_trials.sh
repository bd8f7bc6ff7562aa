# How long until the arm's outputs are zero, over many deaths, stops and pulled plugs.
. ./lib_arm.sh
. ./lib_daemon.sh
prepare_daemon
load_arm
start_guard arm $T/test-arm.toml
cyclictest_start
trials() { # trials ACTION SEED
  $T/safety_trials "$1" arm "$TRIALS" arm "$2" -- $T/hapticd --scene $T/scene.toml --device $T/test-arm.toml --name arm
}
trials kill 1
kill -0 $GUARD || fail "the guard is gone"
trials stop 2
kill -0 $GUARD || fail "the guard is gone"
# The encoders' connector: counters fail, outputs can still be written.
export PLUG_FILE=$ARM/fail_counters PLUG_OFF=1 PLUG_ON=0 KEEP_DAEMON=1
trials unplug 3
cyclictest_end
