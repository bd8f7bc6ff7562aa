#pragma once

#include <cstdint>

#include "shared/clock.h"
#include "shared/monotonic_time.h"
#include "shared/realtime.h"

namespace haptic {

/// Time source of a device: CLOCK_MONOTONIC, or `clock` in a test.
class DeviceTime {
 public:
  explicit DeviceTime(const Clock* clock = nullptr) : clock_(clock) {}

  /// ns; clock_gettime is on the list of calls that a loop may make.
  std::int64_t now_ns() const HAPTIC_REALTIME {
    if (clock_ != nullptr) return clock_->now_ns();
    return monotonic_ns();
  }

 private:
  const Clock* clock_;
};

/// Measures the time since the last exchange by the clock. Counting exchanges would be wrong: a
/// loop that skipped slots made fewer exchanges than periods passed.
class ExchangeTimer {
 public:
  /// @param period_s  what the first exchange counts as [s], > 0
  explicit ExchangeTimer(double period_s) : period_s_(period_s) {}

  /// Records an exchange at `now_ns`. @returns seconds since the previous one, >= 0 and finite; the
  /// period for the first. If the clock went backwards, 0.
  double advance(std::int64_t now_ns) HAPTIC_REALTIME {
    const double since = started_ ? 1e-9 * static_cast<double>(now_ns - last_ns_) : period_s_;
    started_ = true;
    if (since < 0.0) return 0.0;
    last_ns_ = now_ns;
    return since;
  }
  /// The next exchange is the first.
  void restart() HAPTIC_REALTIME { started_ = false; }

 private:
  double period_s_;
  std::int64_t last_ns_ = 0;
  bool started_ = false;
};

}  // namespace haptic
