#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace haptic {

/// Largest reduced dimension the loop accepts.
inline constexpr std::uint32_t kMaxReducedDimension = 64;

/// Where the coefficients of a homogeneous quartic in n = r + 1 coordinates lie (q_r = 1 comes
/// last), and the arrays of one evaluation. What the kernels of quartic_kernels.h work on.
///
/// Coefficients c_ijkl, i >= j >= k >= l. The pairs kl of one slab ij fill chunks of eight: row k
/// has k / 8 chunks of its own, and the last k % 8 + 1 entries share five chunks with those of the
/// seven other rows of its block of eight, each row within one chunk. A slab is the head (k <= j)
/// of that sequence. Slabs are read sixteen at a time, a tile of four i and four j (counted from
/// `pad`, so that only the first tile, whose slabs are tiny, is incomplete): chunk t of all the
/// tile's slabs that reach so far stands together. Tiles run downwards in i, then downwards in j.
struct QuarticLayout {
  static constexpr std::size_t kChunk = 8;  ///< doubles, one cache line
  static constexpr std::size_t kTile = 4;   ///< indices
  static constexpr std::size_t kMaxTiles = (kMaxReducedDimension + 1 + kTile - 1) / kTile;
  static constexpr std::size_t kMaxPadded = kMaxTiles * kTile;

  /// @param r 1..kMaxReducedDimension
  explicit QuarticLayout(std::uint32_t r);

  /// Offset of c_ijkl among the coefficients; i >= j >= k >= l, all < n.
  std::size_t position(std::size_t i, std::size_t j, std::size_t k, std::size_t l) const;

  /// Place of coefficient (i, j) of a tile within one chunk t, counted in chunks, or -1; `first` is
  /// the first j whose slab reaches t. Two j side by side, as the kernel reads them.
  static constexpr int slot(int first, bool diagonal, int i, int j) {
    int at = 0;
    for (int pair = 0; pair < 4; pair += 2) {
      for (int ii = 0; ii < 4; ++ii) {
        for (int jj = pair; jj < pair + 2; ++jj) {
          if (jj < first || (diagonal && ii < jj)) continue;
          if (ii == i && jj == j) return at;
          ++at;
        }
      }
    }
    return -1;
  }
  /// Chunks that a tile holds for one t.
  static constexpr int width(int first, bool diagonal) {
    int count = 0;
    for (int j = first; j < 4; ++j) count += diagonal ? 4 - j : 4;
    return count;
  }

  std::size_t n, pad, tiles;
  std::size_t stride;             ///< doubles of a Hessian row, whole chunks
  std::size_t coefficient_count;  ///< doubles, zeros between included
  std::size_t pair_count;         ///< doubles of the products q_k q_l, in the order of a slab
  std::size_t sum_count;          ///< doubles of the running sums of all tiles

  std::array<std::uint32_t, kMaxPadded> chunks{};     ///< of slab j, counted from pad
  std::array<std::uint32_t, kMaxPadded> full{};       ///< first whole chunk of row k
  std::array<std::uint32_t, kMaxPadded> rest{};       ///< first shared entry of row k, in doubles
  std::array<std::uint32_t, kMaxTiles> sums_begin{};  ///< running sums of a tile's indices

 private:
  std::array<std::uint32_t, kMaxTiles*(kMaxTiles + 1) / 2> tile_begin_{};
};

}  // namespace haptic
