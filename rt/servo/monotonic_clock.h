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
  /// nullptr: the kernel's. A test may pass a substitute.
  explicit MonotonicClock(Sleep sleep = nullptr);

  std::int64_t now_ns() const HAPTIC_REALTIME override;
  /// If the kernel refuses a wait, the loop must neither spin at real-time priority nor ignore the
  /// failure: it is counted (a fault of the cycle), and another call that a loop may make is used
  /// for the wait. If that is refused as well, the loop has no time base: the process ends, and its
  /// guard makes the outputs safe.
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
