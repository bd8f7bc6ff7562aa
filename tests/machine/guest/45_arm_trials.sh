# How long until the arm's outputs are zero, over many deaths, stops and unplugged boards, guards that no longer
# beat, and an operator's stops while the daemon's messages have no reader.
. ./lib_arm.sh
. ./lib_daemon.sh
prepare_daemon
load_arm
cyclictest_start
start_guard arm $T/test-arm.toml
trials arm $T/test-arm.toml kill arm 1
# The encoders' connector: counters fail, outputs can still be written. The daemon's own reaction.
export PLUG_FILE=$ARM/fail_counters PLUG_OFF=1 PLUG_ON=0
trials arm $T/test-arm.toml unplug arm 3
trials arm $T/test-arm.toml guard arm 4
trials arm $T/test-arm.toml command arm 5
trials arm $T/test-arm.toml stop arm 2
stop_guard
cyclictest_end
all_trials_hold
