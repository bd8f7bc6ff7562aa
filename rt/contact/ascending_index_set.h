#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "shared/realtime.h"

namespace haptic {

/// Set of indices 0..n-1, inserted in any order and returned in ascending order. It makes a sum
/// over contacts independent of the order in which a traversal found them.
///
/// A bitmap with a summary of one bit per word; draining costs n / 4096 plus the number of indices.
class AscendingIndexSet {
 public:
  /// Allocates; no other function does.
  explicit AscendingIndexSet(std::uint32_t size)
      : words_((std::size_t{size} + 63) / 64, 0), summary_((words_.size() + 63) / 64, 0) {}

  /// Adds an index; a duplicate is not counted again.
  void insert(std::uint32_t index) HAPTIC_REALTIME {
    std::uint64_t& word = words_[index / 64];
    const std::uint64_t bit = std::uint64_t{1} << (index % 64);
    if ((word & bit) != 0) return;
    word |= bit;
    summary_[index / 4096] |= std::uint64_t{1} << (index / 64 % 64);
    ++count_;
  }

  std::uint32_t count() const HAPTIC_REALTIME { return count_; }

  /// Calls `visit(index)` in ascending order and leaves the set empty.
  template <class Visit>
  void drain(Visit&& visit) HAPTIC_REALTIME {
    for (std::size_t s = 0; s < summary_.size(); ++s) {
      for (std::uint64_t left = summary_[s]; left != 0; left &= left - 1) {
        const std::size_t w = s * 64 + static_cast<std::size_t>(std::countr_zero(left));
        for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1) {
          visit(static_cast<std::uint32_t>(w * 64 +
                                           static_cast<std::size_t>(std::countr_zero(bits))));
        }
        words_[w] = 0;
      }
      summary_[s] = 0;
    }
    count_ = 0;
  }

 private:
  std::vector<std::uint64_t> words_, summary_;
  std::uint32_t count_ = 0;
};

}  // namespace haptic
