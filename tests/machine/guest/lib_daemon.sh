# A daemon of the test's own, without package and service: /run/test has programs, scene and manifests.
T=/run/test
prepare_daemon() {
  mkdir -p $T
  cp "$BIN"/* "$HOST"/guest/*.toml "$HOST/models/ball.h5" $T/
  [ -x $T/hapticd ] || { echo "SKIP no hapticd in this build"; exit 0; }
}
telemetry() { $T/telemetry_value "$NAME" 2>/dev/null | sed -n "s/^$1=//p"; }
state_is() { [ "$(telemetry state)" = "$1" ]; }
fault_is() { [ "$(telemetry state) $(telemetry fault)" = "fault $1" ]; }
command_daemon() { $T/daemon_command "$NAME" "$1" >/run/command.log 2>&1; }
# An arm homes only after an operator confirms that it is in its pose.
home_daemon() { command_daemon home; state_is idle; }
# near_um NAME WANTED TOLERANCE
near_um() {
  v=$(telemetry "$1")
  [ -n "$v" ] && [ "$v" -gt $(($2 - $3)) ] && [ "$v" -lt $(($2 + $3)) ]
}
# start_daemon NAME MANIFEST OPTIONS...
start_daemon() {
  NAME=$1 manifest=$2
  shift 2
  $T/hapticd --scene $T/scene.toml --device "$manifest" --name "$NAME" "$@" >/run/$NAME.log 2>&1 &
  DAEMON=$!
}
stop_daemon() {
  kill "$DAEMON"
  wait "$DAEMON" || fail "daemon ended with $?: $(tail -3 /run/$NAME.log)"
}
# What the trials know of the guard.
export GUARD_PID=/run/guard.pid GUARD_LOG=/run/guard.log
start_guard() { # start_guard NAME MANIFEST OPTIONS...
  [ -x $T/hapticd-guard ] || { echo "SKIP no hapticd-guard in this build"; exit 0; }
  guarded=$1 manifest=$2
  shift 2
  $T/hapticd-guard --manifest "$manifest" --name "$guarded" "$@" >>$GUARD_LOG 2>&1 &
  GUARD=$!
  echo $GUARD >$GUARD_PID.new && mv $GUARD_PID.new $GUARD_PID  # never empty for those who read it
}
keep_guard() { # keep_guard NAME MANIFEST: one after the other, as systemd does
  while :; do
    start_guard "$1" "$2"
    wait $GUARD || true
  done &
  KEEPER=$!
  wait_for "a guard" 10 test -s $GUARD_PID
}
stop_guard() { # it must have lived through all that happened to the daemon
  kill -0 $GUARD || fail "the guard is gone: $(tail -3 /run/guard.log)"
  kill $GUARD
  wait $GUARD || fail "the guard ended with $?"
}
# The machine's own lateness, while the trials run: cyclictest_start, then cyclictest_end.
cyclictest_start() {
  cyclictest -q -m -p98 -i10000 >/run/cyclictest.log 2>&1 &
  CYCLICTEST=$!
}
cyclictest_end() {
  kill -INT $CYCLICTEST
  wait $CYCLICTEST || true
  say "cyclictest at the same time (FIFO 98, 10 ms, us): $(grep '^T:' /run/cyclictest.log)"
}
# Exit code 1, a missed bound, fails the case only after all kinds of trials were made and the machine's lateness is
# shown. Any other code fails it at once: a pulled plug or a stopped guard is left behind and would fail the next kinds.
MISSED=
trials() { # trials NAME MANIFEST ACTION OUTPUTS SEED
  say "$TRIALS trials of $3 on $1"
  $T/safety_trials "$3" "$4" "$TRIALS" "$1" "$5" -- $T/hapticd --scene $T/scene.toml --device "$2" --name "$1" || {
    rc=$?
    [ $rc = 1 ] || fail "$3 on $1: safety_trials ended with $rc"
    MISSED="$MISSED $3"
  }
}
all_trials_hold() {
  say "trials are over"
  [ -z "$MISSED" ] || fail "trials that missed their bound:$MISSED"
}
