#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "shared/realtime.h"

namespace haptic {

/// Sum of what was added within the last `window_s` seconds, in constant memory.
///
/// The window is kept in kParts equal parts and the present one, and moves by a whole part, so
/// the sum covers at least `window_s` and less than window_s (1 + 1 / kParts): a limit on it holds
/// for every window of that length and is reached at most 3.2 % too early.
class SlidingSum {
 public:
  static constexpr std::size_t kParts = 32;

  /// @param window_s > 0
  explicit SlidingSum(double window_s) : part_s_(window_s / static_cast<double>(kParts)) {}

  /// `elapsed_s` >= 0 seconds pass, during which `amount` is added.
  void add(double amount, double elapsed_s) HAPTIC_REALTIME {
    in_part_s_ += elapsed_s;
    if (in_part_s_ >= part_s_) {
      // Beyond the whole ring nothing is left; the bound keeps a long pause from looping.
      const double passed = std::min(in_part_s_ / part_s_, static_cast<double>(parts_.size()));
      const auto count = static_cast<std::size_t>(passed);
      for (std::size_t i = 0; i < count; ++i) {
        newest_ = (newest_ + 1) % parts_.size();
        parts_[newest_] = 0.0;
      }
      in_part_s_ = count < parts_.size() ? in_part_s_ - static_cast<double>(count) * part_s_ : 0.0;
      sum_ = 0.0;  // recomputed, so that rounding does not accumulate
      for (const double part : parts_) sum_ += part;
    }
    parts_[newest_] += amount;
    sum_ += amount;
  }

  double sum() const HAPTIC_REALTIME { return sum_; }

  void clear() HAPTIC_REALTIME {
    parts_.fill(0.0);
    sum_ = in_part_s_ = 0.0;
  }

 private:
  double part_s_;
  std::array<double, kParts + 1> parts_{};
  std::size_t newest_ = 0;
  double in_part_s_ = 0.0;
  double sum_ = 0.0;
};

}  // namespace haptic
