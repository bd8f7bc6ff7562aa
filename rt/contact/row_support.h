#pragma once

#include <cstdint>
#include <span>

#include "rt/contact/block_pattern.h"
#include "shared/realtime.h"

namespace haptic {

/// Layout of a row that has elements for a few blocks of unknowns only: segments of successive
/// unknowns, each padded with zeros to a multiple of kLane.
struct RowSupport {
  static constexpr std::uint32_t kLane = 4;       ///< doubles of a vector
  static constexpr std::uint32_t kMaxBlocks = 5;  ///< two bodies that move and deform, and a wall

  struct Segment {
    std::uint32_t first, size;  ///< unknowns
    std::uint32_t at;           ///< where they begin in the row
  };
  Segment segments[kMaxBlocks] = {};
  std::uint32_t count = 0;                 ///< of the segments
  std::uint32_t blocks[kMaxBlocks] = {};   ///< ascending
  std::uint32_t offsets[kMaxBlocks] = {};  ///< of these, where they begin in the row
  std::uint32_t block_count = 0;
  std::uint32_t width = 0;  ///< of the row with its padding

  /// @param of  at most kMaxBlocks blocks, ascending
  static RowSupport make(const BlockPattern& pattern,
                         std::span<const std::uint32_t> of) HAPTIC_REALTIME {
    RowSupport support;
    for (const std::uint32_t block : of) {
      const std::uint32_t first = pattern.first(block), size = pattern.size(block);
      Segment* last = support.count > 0 ? &support.segments[support.count - 1] : nullptr;
      if (last == nullptr || last->first + last->size != first) {
        last = &support.segments[support.count++];
        *last = {first, 0, support.width};
      }
      support.blocks[support.block_count] = block;
      support.offsets[support.block_count++] = last->at + last->size;
      last->size += size;
      support.width = last->at + (last->size + kLane - 1) / kLane * kLane;
    }
    return support;
  }
  /// Its elements without the padding at its end.
  std::uint32_t used() const HAPTIC_REALTIME {
    return count == 0 ? 0 : segments[count - 1].at + segments[count - 1].size;
  }
  bool has(std::uint32_t block) const HAPTIC_REALTIME {
    for (std::uint32_t i = 0; i < block_count; ++i) {
      if (blocks[i] == block) return true;
    }
    return false;
  }
  /// Where a block begins in the row. @pre the block is one of `blocks`
  std::uint32_t offset(std::uint32_t block) const HAPTIC_REALTIME {
    std::uint32_t i = 0;
    while (i + 1 < block_count && blocks[i] != block) ++i;
    return offsets[i];
  }
};

}  // namespace haptic
