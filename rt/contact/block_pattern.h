#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/realtime.h"

namespace haptic {

/// Which blocks of unknowns of a symmetric matrix are coupled: one bit for each pair of blocks. A
/// block is coupled with itself. Allocates in the constructor only.
class BlockPattern {
 public:
  static constexpr std::uint32_t kBits = 64;  // of a word

  /// @param sizes  number of unknowns of each block, > 0
  explicit BlockPattern(std::span<const std::uint32_t> sizes) {
    first_.push_back(0);
    for (const std::uint32_t size : sizes) first_.push_back(first_.back() + size);
    words_ = (blocks() + kBits - 1) / kBits;
    bits_.resize(std::size_t{words_} * blocks());
    clear();
  }

  std::uint32_t blocks() const HAPTIC_REALTIME {
    return static_cast<std::uint32_t>(first_.size() - 1);
  }
  std::uint32_t unknowns() const HAPTIC_REALTIME { return first_.back(); }
  /// First unknown and number of unknowns of a block.
  std::uint32_t first(std::uint32_t block) const HAPTIC_REALTIME { return first_[block]; }
  std::uint32_t size(std::uint32_t block) const HAPTIC_REALTIME {
    return first_[block + 1] - first_[block];
  }
  /// The block of an unknown.
  std::uint32_t block_of(std::uint32_t unknown) const HAPTIC_REALTIME {
    return static_cast<std::uint32_t>(std::ranges::upper_bound(first_, unknown) - first_.begin() -
                                      1);
  }

  /// Leaves every block coupled with itself only.
  void clear() HAPTIC_REALTIME {
    std::ranges::fill(bits_, 0);
    for (std::uint32_t block = 0; block < blocks(); ++block) set(block, block);
  }
  /// @returns whether they were not coupled before
  bool couple(std::uint32_t a, std::uint32_t b) HAPTIC_REALTIME {
    if (coupled(a, b)) return false;
    set(a, b);
    set(b, a);
    return true;
  }
  bool coupled(std::uint32_t a, std::uint32_t b) const HAPTIC_REALTIME {
    return (row(a)[b / kBits] >> (b % kBits) & 1u) != 0;
  }
  /// The blocks coupled with a block, one bit each.
  std::span<const std::uint64_t> row(std::uint32_t block) const HAPTIC_REALTIME {
    return std::span(bits_).subspan(std::size_t{words_} * block, words_);
  }
  std::uint32_t words() const HAPTIC_REALTIME { return words_; }

 private:
  void set(std::uint32_t a, std::uint32_t b) HAPTIC_REALTIME {
    bits_[std::size_t{words_} * a + b / kBits] |= std::uint64_t{1} << (b % kBits);
  }

  std::vector<std::uint32_t> first_;  // per block, and the end
  std::uint32_t words_ = 0;
  std::vector<std::uint64_t> bits_;
};

/// Calls visit(index) for the bits of the words, ascending.
template <class Visit>
void for_each_bit(std::span<const std::uint64_t> words, Visit&& visit) HAPTIC_REALTIME {
  for (std::uint32_t w = 0; w < words.size(); ++w) {
    for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1) {
      visit(BlockPattern::kBits * w + static_cast<std::uint32_t>(std::countr_zero(bits)));
    }
  }
}

}  // namespace haptic
