#pragma once

#include <cstdint>

#include "rt/device/servo_limits.h"
#include "rt/servo/schedule.h"
#include "rt/servo/sliding_sum.h"
#include "shared/realtime.h"

namespace haptic {

/// Detects overload: a loop that keeps missing its slots renders the force for an outdated position
/// of the hand.
///
/// A slot is bad if its cycle ended after the slot, or if it passed without a cycle. Slots are
/// counted by time and not by cycles: one exchange that takes six periods makes six bad slots. An
/// overload is `overload_slots` bad slots in a row, or more than `overload_fraction` of the slots
/// within the last `overload_window_s` (SlidingSum: a window up to 1/32 longer).
class LoadWatch {
 public:
  /// @param period_ns of a slot, > 0
  LoadWatch(const ServoLimits& limits, std::int64_t period_ns)
      : slots_(limits.overload_slots),
        most_(limits.overload_fraction * limits.overload_window_s * 1e9 /
              static_cast<double>(period_ns)),
        period_ns_(period_ns),
        bad_(limits.overload_window_s) {}

  /// A cycle of `slot` took `total_ns` from its waking up. @returns whether that is an overload
  bool observe(const Slot& slot, std::int64_t total_ns) HAPTIC_REALTIME {
    // Lateness beyond whole slots delays the end of this one.
    const std::int64_t end_ns =
        slot.lateness_ns - static_cast<std::int64_t>(slot.skipped) * period_ns_ + total_ns;
    // This slot and those that its cycle has overrun. They are counted now; the next cycle finds
    // them skipped.
    const auto late =
        end_ns > period_ns_ ? static_cast<std::uint64_t>(end_ns / period_ns_) : std::uint64_t{0};
    const std::uint64_t missed = slot.skipped > counted_ ? slot.skipped - counted_ : 0;
    counted_ = late > 0 ? late - 1 : 0;
    in_a_row_ += missed + late;
    bad_.add(static_cast<double>(missed + late),
             1e-9 * static_cast<double>(period_ns_) * static_cast<double>(slot.skipped + 1));
    const bool too_long = in_a_row_ >= slots_;
    if (late == 0) in_a_row_ = 0;
    return too_long || bad_.sum() >= most_;
  }

  void clear() HAPTIC_REALTIME {
    in_a_row_ = counted_ = 0;
    bad_.clear();
  }

 private:
  std::uint64_t slots_;
  double most_;  ///< bad slots in the window
  std::int64_t period_ns_;
  std::uint64_t in_a_row_ = 0;
  std::uint64_t counted_ = 0;  ///< slots already counted that the next cycle will find skipped
  SlidingSum bad_;
};

}  // namespace haptic
