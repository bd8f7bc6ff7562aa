#pragma once

#include "shared/clock.h"

namespace haptic {

/// CLOCK_MONOTONIC, the clock of the daemon.
class MonotonicClock final : public Clock {
 public:
  std::int64_t now_ns() const HAPTIC_REALTIME override;
  void sleep_until(std::int64_t deadline_ns) override;
};

}  // namespace haptic
