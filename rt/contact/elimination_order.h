#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/contact/block_pattern.h"
#include "shared/realtime.h"

namespace haptic {

/// Order in which the blocks of a sparse symmetric matrix are eliminated, and the elements of its
/// Cholesky factor that can differ from zero.
///
/// Minimum degree: the next block is the one coupled with the fewest others of those that are left,
/// the first of equals; its elimination couples these with each other. Groups of blocks that are
/// not coupled can be ordered each by itself, as matrices of their own. Allocates in the
/// constructor only. Source: docs/methods/contact-and-coupling.md, "Sparse systems".
class EliminationOrder {
 public:
  /// Edge of the square tiles in which the factor's pattern is given.
  static constexpr std::uint32_t kTile = 4;

  explicit EliminationOrder(const BlockPattern& pattern);

  /// One group of all blocks. @param pattern  of the same blocks as in the constructor
  void find(const BlockPattern& pattern) HAPTIC_REALTIME;

  /// Forgets all groups.
  void clear() HAPTIC_REALTIME { rows_ = 0; }
  /// The order of some blocks, which are coupled with none of the others. A block is in one group
  /// at most.
  /// @param blocks  ascending
  /// @returns the group's first row of tiles, for tiles()
  std::uint32_t add(const BlockPattern& pattern,
                    std::span<const std::uint32_t> blocks) HAPTIC_REALTIME;

  /// Place of a block's first unknown in the order of its group.
  std::uint32_t place(std::uint32_t block) const HAPTIC_REALTIME { return place_[block]; }
  /// Rows of tiles, one after the other: bit K of row I is set if tile (I, K) of the factor can
  /// differ from zero, K <= I.
  /// @param first_row  of a group; what follows belongs to others
  std::span<const std::uint64_t> tiles(std::uint32_t first_row = 0) const HAPTIC_REALTIME {
    return std::span(tiles_)
        .first(std::size_t{tile_words_} * rows_)
        .subspan(std::size_t{tile_words_} * first_row);
  }
  /// Number of such tiles.
  std::uint32_t filled() const HAPTIC_REALTIME;

 private:
  std::uint32_t next(std::span<const std::uint64_t> left) const HAPTIC_REALTIME;
  void add_column(const BlockPattern& pattern, std::uint32_t block,
                  std::span<const std::uint64_t> left,
                  std::span<std::uint64_t> tiles) HAPTIC_REALTIME;

  std::uint32_t words_, tile_words_;
  std::vector<std::uint64_t> coupled_;  // of the blocks, as the elimination goes on
  std::vector<std::uint64_t> left_;     // blocks that are not yet eliminated
  std::vector<std::uint32_t> place_, order_, all_;
  std::vector<std::uint64_t> fill_;  // per block in the order: blocks below it in the factor
  std::vector<std::uint64_t> tiles_;
  std::uint32_t rows_ = 0;  // of tiles, of all groups
};

}  // namespace haptic
