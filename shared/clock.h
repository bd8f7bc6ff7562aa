#pragma once

#include <cstdint>

#include "shared/realtime.h"

namespace haptic {

/// The time, and the time for which the machine had been suspended.
struct ClockReading {
  std::int64_t now_ns;
  /// Since boot; not included in now_ns. It may be too short by the time between two reads of the
  /// kernel's clocks, never too long.
  std::int64_t suspended_ns;
};

/// Time source of the loop: CLOCK_MONOTONIC in the daemon (rt/servo/monotonic_clock.h), a scripted
/// clock in tests, none at all offline.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Nanoseconds since an arbitrary epoch; never runs backwards.
  virtual std::int64_t now_ns() const HAPTIC_REALTIME = 0;

  /// Sleeps until `deadline_ns`; returns at once if that has passed. The loop's only blocking call,
  /// made between cycles, hence not HAPTIC_REALTIME.
  virtual void sleep_until(std::int64_t deadline_ns) = 0;

  /// now_ns(), together with the suspended time.
  virtual ClockReading read() const HAPTIC_REALTIME { return {now_ns(), 0}; }

  /// Number of waits that the kernel refused for a reason other than a signal; another call waited
  /// instead.
  virtual std::uint64_t failed_sleeps() const HAPTIC_REALTIME { return 0; }
};

}  // namespace haptic
