#include "rt/contact/elimination_order.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace haptic {

EliminationOrder::EliminationOrder(const BlockPattern& pattern)
    : words_(pattern.words()),
      coupled_(std::size_t{words_} * pattern.blocks()),
      left_(words_),
      place_(pattern.blocks()),
      order_(pattern.blocks()),
      all_(pattern.blocks()),
      fill_(coupled_.size()) {
  std::iota(all_.begin(), all_.end(), 0u);
  const std::uint32_t tiles = (pattern.unknowns() + kTile - 1) / kTile;
  tile_words_ = (tiles + BlockPattern::kBits - 1) / BlockPattern::kBits;
  // Every group can end with a tile that is not full.
  tiles_.resize(std::size_t{tile_words_} * (tiles + pattern.blocks()));
}

/// The block of those left that is coupled with the fewest of them.
std::uint32_t EliminationOrder::next(std::span<const std::uint64_t> left) const HAPTIC_REALTIME {
  std::uint32_t best = 0;
  int fewest = -1;
  for_each_bit(left, [&](std::uint32_t block) HAPTIC_REALTIME {
    int degree = 0;
    for (std::uint32_t w = 0; w < words_; ++w) {
      degree += std::popcount(coupled_[std::size_t{words_} * block + w] & left[w]);
    }
    if (fewest >= 0 && degree >= fewest) return;
    fewest = degree;
    best = block;
  });
  return best;
}

void EliminationOrder::find(const BlockPattern& pattern) HAPTIC_REALTIME {
  clear();
  add(pattern, all_);
}

std::uint32_t EliminationOrder::add(const BlockPattern& pattern,
                                    std::span<const std::uint32_t> blocks) HAPTIC_REALTIME {
  std::ranges::fill(left_, 0);
  for (const std::uint32_t b : blocks) {
    std::ranges::copy(pattern.row(b), coupled_.begin() + std::size_t{words_} * b);
    left_[b / BlockPattern::kBits] |= std::uint64_t{1} << (b % BlockPattern::kBits);
  }
  std::uint32_t place = 0;
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    const std::uint32_t block = next(left_);
    order_[i] = block;
    place_[block] = place;
    place += pattern.size(block);
    left_[block / BlockPattern::kBits] &= ~(std::uint64_t{1} << (block % BlockPattern::kBits));
    const std::span<std::uint64_t> below =
        std::span(fill_).subspan(std::size_t{words_} * i, words_);
    for (std::uint32_t w = 0; w < words_; ++w) {
      below[w] = coupled_[std::size_t{words_} * block + w] & left_[w];
    }
    for_each_bit(below, [&](std::uint32_t other) HAPTIC_REALTIME {
      for (std::uint32_t w = 0; w < words_; ++w) {
        coupled_[std::size_t{words_} * other + w] |= below[w];
      }
    });
  }
  const std::uint32_t first_row = rows_;
  rows_ += (place + kTile - 1) / kTile;
  const std::span<std::uint64_t> tiles = std::span(tiles_).subspan(
      std::size_t{tile_words_} * first_row, std::size_t{tile_words_} * (rows_ - first_row));
  std::ranges::fill(tiles, 0);
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    add_column(pattern, order_[i], std::span(fill_).subspan(std::size_t{words_} * i, words_),
               tiles);
  }
  return first_row;
}

/// Marks the tiles of the columns of a block.
void EliminationOrder::add_column(const BlockPattern& pattern, std::uint32_t block,
                                  std::span<const std::uint64_t> below,
                                  std::span<std::uint64_t> tiles) HAPTIC_REALTIME {
  const std::uint32_t first = place_[block] / kTile;
  const std::uint32_t last = (place_[block] + pattern.size(block) - 1) / kTile;
  const auto mark = [&](std::uint32_t row, std::uint32_t column) HAPTIC_REALTIME {
    tiles[std::size_t{tile_words_} * row + column / BlockPattern::kBits] |=
        std::uint64_t{1} << (column % BlockPattern::kBits);
  };
  const auto mark_rows = [&](std::uint32_t other) HAPTIC_REALTIME {
    const std::uint32_t from = place_[other] / kTile;
    const std::uint32_t to = (place_[other] + pattern.size(other) - 1) / kTile;
    for (std::uint32_t row = from; row <= to; ++row) {
      for (std::uint32_t column = first; column <= std::min(last, row); ++column) mark(row, column);
    }
  };
  mark_rows(block);
  for_each_bit(below, mark_rows);
}

std::uint32_t EliminationOrder::filled() const HAPTIC_REALTIME {
  std::uint32_t count = 0;
  for (const std::uint64_t word : tiles()) count += static_cast<std::uint32_t>(std::popcount(word));
  return count;
}

}  // namespace haptic
