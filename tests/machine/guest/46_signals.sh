# Every signal that can be caught, to the arm's daemon, to its guard, and to both at once.
. ./lib_arm.sh
. ./lib_daemon.sh
prepare_daemon
load_arm
cyclictest_start
keep_guard arm $T/test-arm.toml
trials arm $T/test-arm.toml signal_daemon arm 1
trials arm $T/test-arm.toml signal_guard arm 2
trials arm $T/test-arm.toml signal_both arm 3
kill $KEEPER
kill "$(cat $GUARD_PID)"
cyclictest_end
say "said by the guards: $(grep -c '; outputs safe ' $GUARD_LOG) times safe, $(grep -c 'MAY NOT BE SAFE' $GUARD_LOG) times unknown"
all_trials_hold
