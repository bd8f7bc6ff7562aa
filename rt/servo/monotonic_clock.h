#pragma once

#include <atomic>
#include <cstdint>

#include "shared/clock.h"

struct timespec;

namespace haptic {

/// CLOCK_MONOTONIC, the clock of the daemon.
class MonotonicClock final : public Clock {
 public:
  /// As clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, deadline): 0 or an error number.
  using Sleep = int (*)(const timespec& deadline);
  /// The kernel's. A test may bring its own.
  explicit MonotonicClock(Sleep sleep = nullptr);

  std::int64_t now_ns() const HAPTIC_REALTIME override;
  /// A wait that the kernel refuses must neither become a loop that spins at real-time priority nor
  /// pass in silence: it is counted (a fault of the cycle), and another of the calls that a loop
  /// may make waits instead. If that is refused as well, nothing paces the loop any more: the
  /// process ends, and its guard makes the outputs safe.
  void sleep_until(std::int64_t deadline_ns) override;
  /// CLOCK_BOOTTIME less CLOCK_MONOTONIC; both are read without a system call.
  ClockReading read() const HAPTIC_REALTIME override;
  std::uint64_t failed_sleeps() const HAPTIC_REALTIME override {
    return failed_.load(std::memory_order_relaxed);
  }

 private:
  Sleep sleep_;
  std::atomic<std::uint64_t> failed_{0};  ///< two loops may share the clock
};

}  // namespace haptic
