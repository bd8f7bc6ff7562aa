#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shared/realtime.h"

namespace haptic {

/// Islands: groups of blocks of a system that are connected by couplings of two blocks. No element
/// of the system couples two islands.
///
/// Islands are numbered by their first blocks, ascending; a block without couplings is an island by
/// itself. Use: clear(); join(); number(). Allocates in the constructor only.
class BlockIslands {
 public:
  explicit BlockIslands(std::uint32_t blocks);

  /// Every block is an island.
  void clear() HAPTIC_REALTIME;
  /// Joins the islands of two blocks. @returns the first blocks of both, ascending; twice
  /// the same where they were one
  struct Joined {
    std::uint32_t kept, ended;
  };
  Joined join(std::uint32_t a, std::uint32_t b) HAPTIC_REALTIME;
  /// First block of the island of a block.
  std::uint32_t first(std::uint32_t block) const HAPTIC_REALTIME {
    while (parent_[block] != block) block = parent_[block];
    return block;
  }

  /// After join(): numbers the islands.
  void number() HAPTIC_REALTIME;
  std::uint32_t count() const HAPTIC_REALTIME { return count_; }
  /// Island of a block, at the last number().
  std::uint32_t of(std::uint32_t block) const HAPTIC_REALTIME { return island_[block]; }
  /// Blocks of an island, ascending.
  std::span<const std::uint32_t> blocks(std::uint32_t island) const HAPTIC_REALTIME {
    return std::span(blocks_).subspan(begin_[island], begin_[island + 1] - begin_[island]);
  }

 private:
  std::vector<std::uint32_t> parent_;  // per block: one before it in its island, or itself
  std::vector<std::uint32_t> island_;  // per block
  std::vector<std::uint32_t> blocks_;  // by island
  std::vector<std::uint32_t> begin_;   // per island, and the end: in blocks_
  std::uint32_t count_ = 0;
};

}  // namespace haptic
