#include "rt/contact/block_islands.h"

#include <algorithm>
#include <numeric>

namespace haptic {

BlockIslands::BlockIslands(std::uint32_t blocks)
    : parent_(blocks), island_(blocks), blocks_(blocks), begin_(std::size_t{blocks} + 1) {
  clear();
  number();
}

void BlockIslands::clear() HAPTIC_REALTIME {
  std::iota(parent_.begin(), parent_.end(), 0u);
}

BlockIslands::Joined BlockIslands::join(std::uint32_t a, std::uint32_t b) HAPTIC_REALTIME {
  const std::uint32_t first_a = first(a), first_b = first(b);
  const std::uint32_t kept = std::min(first_a, first_b), ended = std::max(first_a, first_b);
  // Path compression: later searches from these blocks are short.
  for (std::uint32_t block : {a, b}) {
    while (parent_[block] != block) {
      const std::uint32_t next = parent_[block];
      parent_[block] = kept;
      block = next;
    }
  }
  parent_[ended] = kept;
  return {kept, ended};
}

void BlockIslands::number() HAPTIC_REALTIME {
  count_ = 0;
  std::ranges::fill(begin_, 0u);
  // The parent of a block is before it, so its island is known.
  for (std::uint32_t block = 0; block < parent_.size(); ++block) {
    island_[block] = parent_[block] == block ? count_++ : island_[parent_[block]];
    ++begin_[island_[block] + 1];
  }
  for (std::uint32_t island = 0; island < count_; ++island) begin_[island + 1] += begin_[island];
  for (auto block = static_cast<std::uint32_t>(parent_.size()); block-- > 0;) {
    blocks_[--begin_[island_[block] + 1]] = block;
  }
  // The loop has moved the end of each island to its start.
  std::copy(begin_.begin() + 1, begin_.begin() + 1 + count_, begin_.begin());
  begin_[count_] = static_cast<std::uint32_t>(parent_.size());
}

}  // namespace haptic
