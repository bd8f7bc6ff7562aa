#pragma once

#include <cstdint>

#include "shared/realtime.h"

namespace haptic {

/// The slot a cycle runs in.
struct Slot {
  std::int64_t deadline_ns;  ///< begin of the slot
  std::int64_t lateness_ns;  ///< now minus the deadline that was waited for
  std::uint64_t skipped;     ///< slots that passed without a cycle
};

/// Absolute deadlines, one period apart. A cycle runs in the slot that contains the present time;
/// slots that have passed are skipped and counted, never caught up.
class Schedule {
 public:
  /// @param period_ns > 0 @param first_ns deadline of the first slot
  Schedule(std::int64_t period_ns, std::int64_t first_ns)
      : period_ns_(period_ns), next_ns_(first_ns) {}

  std::int64_t period_ns() const HAPTIC_REALTIME { return period_ns_; }
  /// Deadline to wait for.
  std::int64_t next_ns() const HAPTIC_REALTIME { return next_ns_; }

  /// Takes the slot of `now_ns`, which is not before next_ns().
  Slot take(std::int64_t now_ns) HAPTIC_REALTIME {
    const std::int64_t lateness = now_ns - next_ns_;
    const std::int64_t skipped = lateness < period_ns_ ? 0 : lateness / period_ns_;
    const std::int64_t deadline = next_ns_ + skipped * period_ns_;
    next_ns_ = deadline + period_ns_;
    return {deadline, lateness, static_cast<std::uint64_t>(skipped)};
  }

 private:
  std::int64_t period_ns_;
  std::int64_t next_ns_;
};

}  // namespace haptic
