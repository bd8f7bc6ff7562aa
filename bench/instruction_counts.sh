#!/usr/bin/env bash
# Instructions of one Newmark step (AVX2 kernels, which valgrind can run) at r = 15 and 30, from the
# difference between 100 and 300 steps: the reference for changes of the kernels (bench/README.md).
#   bench/instruction_counts.sh [BUILD_FOLDER]
set -euo pipefail
program=${1:-build/release}/bench/dynamics_instructions
command -v valgrind >/dev/null || { echo "instruction_counts: valgrind is not installed" >&2; exit 2; }
[ -x "$program" ] || { echo "instruction_counts: build $program first" >&2; exit 2; }

count() {
  HAPTIC_SIMD=avx2 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 |
    sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

for r in 15 30; do
  few=$(count "$r" 100) many=$(count "$r" 300)
  echo "r = $r: $(((many - few) / 200)) instructions a step"
done
