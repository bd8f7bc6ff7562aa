#pragma once

#include <cstdint>

#include "shared/clock.h"

namespace haptic {

/// Time that passes when the test says so.
class SteppedClock final : public Clock {
 public:
  std::int64_t now_ns() const HAPTIC_REALTIME override { return now; }
  void sleep_until(std::int64_t deadline_ns) override {
    if (deadline_ns > now) now = deadline_ns;
  }
  void pass(double seconds) { now += static_cast<std::int64_t>(1e9 * seconds + 0.5); }

  std::int64_t now = 1'000'000'000;
};

}  // namespace haptic
