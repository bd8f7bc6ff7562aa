#!/usr/bin/env bash
# run_one.sh PROGRAM OUT LIMIT: one fuzz target, until libFuzzer's option LIMIT ends it, from its seeds and what
# earlier runs found, with a dictionary of the seeds' words. Prints executions and coverage, removes from the corpus
# the inputs without new coverage; exits 1 on a finding, which is in OUT.
set -euo pipefail
program=$1 out=$2 limit=$3
target=$(basename "$program")
target=${target#fuzz_}
mkdir -p "$out/corpus/$target" "$out/findings"
{ grep -ahoE '[A-Za-z_/]{3,40}' -r "$out/seeds/$target" || true; } | sort -u | sed 's/.*/"&"/' >"$out/$target.dict"
words=(-dict="$out/$target.dict")
[ -s "$out/$target.dict" ] || words=()  # libFuzzer refuses an empty one
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm  # for inputs that the target writes to a file
log=$out/$target.log
if UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 ASAN_OPTIONS=detect_leaks=1 \
  "$program" "$out/corpus/$target" "$out/seeds/$target" "${words[@]}" -max_len=16384 -timeout=10 \
  -rss_limit_mb=2048 "$limit" -print_final_stats=1 -artifact_prefix="$out/findings/$target-" \
  >"$log" 2>&1; then
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  seconds=$(sed -nE 's/^Done [0-9]+ runs in ([0-9]+) second.*/\1/p' "$log")
  edges=$(sed -nE 's/^INFO: Loaded .*\(([0-9]+) inline 8-bit counters\).*/\1/p' "$log")
  covered=$(sed -nE 's/.* cov: ([0-9]+) ft: .*/\1/p' "$log" | tail -1)
  rm -rf "$out/corpus/$target.new" && mkdir "$out/corpus/$target.new"
  "$program" -merge=1 -max_len=16384 "$out/corpus/$target.new" "$out/corpus/$target" >>"$log" 2>&1 ||
    { echo "fuzz $target: minimising the corpus failed, see $log" >&2; exit 1; }
  rm -rf "$out/corpus/$target" && mv "$out/corpus/$target.new" "$out/corpus/$target"
  echo "fuzz $target: $executions executions in $seconds s, $covered of $edges edges reached," \
    "$(find "$out/corpus/$target" -type f | wc -l) inputs, no finding"
else
  tail -40 "$log" >&2
  echo "fuzz $target: FINDING, see $log" >&2
  exit 1
fi
