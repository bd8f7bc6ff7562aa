#pragma once

#include <cstdint>

#include "shared/realtime.h"

namespace haptic {

/// The time, and for how long the machine had been suspended by then.
struct ClockReading {
  std::int64_t now_ns;
  /// Since it booted: what now_ns leaves out. It may come out too short by the time between two
  /// reads of the kernel's clocks, never too long.
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

  /// Waits that the kernel refused for another reason than a signal; they were made up for by
  /// another call.
  virtual std::uint64_t failed_sleeps() const HAPTIC_REALTIME { return 0; }
};

}  // namespace haptic
