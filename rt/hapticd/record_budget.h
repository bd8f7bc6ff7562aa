#pragma once

#include <algorithm>
#include <cstdint>

namespace haptic {

/// Limits the fault records of a process: kMax at once, then one a minute. A recurring fault can
/// neither fill the disk nor keep it busy.
class RecordBudget {
 public:
  static constexpr std::int64_t kMax = 16;
  static constexpr std::int64_t kRefill_ns = 60'000'000'000;

  /// Takes one record from the budget. @param now_ns  monotonic time
  /// @returns false if the budget is used up
  bool take(std::int64_t now_ns) {
    const std::int64_t gained = (now_ns - counted_ns_) / kRefill_ns;
    available_ = std::min(kMax, available_ + gained);
    counted_ns_ = available_ == kMax ? now_ns : counted_ns_ + gained * kRefill_ns;
    if (available_ == 0) return false;
    --available_;
    return true;
  }

 private:
  std::int64_t available_ = kMax;
  std::int64_t counted_ns_ = 0;  ///< monotonic time up to which records were added
};

}  // namespace haptic
