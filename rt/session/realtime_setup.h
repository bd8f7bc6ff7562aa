#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace haptic {

/// Real-time service that was requested, and what the kernel granted.
struct RealtimeReport {
  std::uint32_t grants = 0;          ///< GrantBit set
  std::vector<std::string> missing;  ///< one line each: what was refused and how to change that
  pid_t thread = 0;                  ///< prepared by prepare_loop_thread
  bool is_complete() const;          ///< RT kernel, SCHED_FIFO and locked memory
};

/// Sets what every thread inherits; call it before any thread is started. Threads do not run on
/// `loop_cpu` (< 0: no restriction) unless they pin themselves to it, so that the loop's caches
/// stay warm between cycles; if it is the only allowed CPU, nothing changes. Stacks are 2 MiB
/// instead of 8, because mlockall locks them in full.
void prepare_threads(int loop_cpu);

/// Process-wide part, once everything is mapped and every thread exists: lock memory, hold
/// /dev/cpu_dma_latency at 0 for the life of the process, read what kernel this is. Refusals are
/// reported, not fatal.
void prepare_process(RealtimeReport& report);

/// Calling thread's part: touch its stack, timer slack 1 ns, pin to `cpu` (< 0: leave),
/// SCHED_FIFO `priority` (0: leave). Adds to `report`.
void prepare_loop_thread(int cpu, int priority, RealtimeReport& report);

/// kGrantFifo and kGrantPinned (to `cpu`) as they are now for a thread of this process: another
/// process may change its scheduling and its CPUs.
std::uint32_t scheduling_grants(pid_t thread, int cpu);

/// Restricts the calling loop's thread to the listed system calls from here on (filter_calls), if
/// `wanted`. Adds to `report`.
void filter_loop_thread(bool wanted, RealtimeReport& report);

}  // namespace haptic
