# The machine itself: kernel, init system, and what a loop may expect of its clock here.
expect "PREEMPT_RT kernel" "$(cat /sys/kernel/realtime)" 1
expect "clock source" "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" tsc
wait_for "system is running" 60 sh -c '[ "$(systemctl is-system-running)" = running ]'
say "cyclictest (2000 cycles of 1 ms, FIFO 90; for the record, TCG): $(cyclictest -q -m -p90 -i1000 -l2000 | tail -1)"
