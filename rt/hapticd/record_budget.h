#pragma once

#include <algorithm>
#include <cstdint>

namespace haptic {

/// How many fault records a process writes, so that a fault that recurs neither fills a disk nor
/// keeps it busy: a number at once, then one a minute.
class RecordBudget {
 public:
  static constexpr std::int64_t kMost = 16;
  static constexpr std::int64_t kRefill_ns = 60'000'000'000;

  /// Takes one. @param now_ns  monotonic. @returns false if there is none
  bool take(std::int64_t now_ns) {
    const std::int64_t gained = (now_ns - counted_ns_) / kRefill_ns;
    available_ = std::min(kMost, available_ + gained);
    counted_ns_ = available_ == kMost ? now_ns : counted_ns_ + gained * kRefill_ns;
    if (available_ == 0) return false;
    --available_;
    return true;
  }

 private:
  std::int64_t available_ = kMost;
  std::int64_t counted_ns_ = 0;  ///< minutes are counted from here on
};

}  // namespace haptic
