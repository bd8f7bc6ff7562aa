#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/memory/huge_vector.h"
#include "shared/realtime.h"

namespace haptic {

/// Solves H x = b for a symmetric positive definite H by H = L D L^T, with kRightHandSides
/// right-hand sides at once. Tiles of L that are zero are skipped.
///
/// The right-hand sides are rows below H and are eliminated with it. H is stored in tiles of four
/// by four, those of a row one after the other, and is padded to whole tiles with the identity.
///
/// Use: set_unknowns() where n changes; clear(); set() all columns; set_right_hand_side();
/// factor(); solve(). Allocates in the constructor only.
class SmallCholesky {
 public:
  static constexpr std::uint32_t kRightHandSides = 2;

  /// @param unknowns  largest n, >= 1
  explicit SmallCholesky(std::uint32_t unknowns);

  /// Sets n of the next system, at most that of the constructor.
  void set_unknowns(std::uint32_t unknowns) HAPTIC_REALTIME;
  /// Sets H to zero where L can differ from it.
  /// @param tiles  the tiles of L as in EliminationOrder::tiles(); empty: all. Kept until the next
  ///               call
  void clear(std::span<const std::uint64_t> tiles = {}) HAPTIC_REALTIME;
  /// Sets elements i, i + 1, ... of column j of H, i >= j; they are in tiles of clear().
  void set(std::uint32_t i, std::uint32_t j, std::span<const double> values) HAPTIC_REALTIME;
  /// Sets elements j, j + 1, ... of row i of H, the last of them at most i.
  void set_row(std::uint32_t i, std::uint32_t j, std::span<const double> values) HAPTIC_REALTIME;
  /// @param b  n values
  void set_right_hand_side(std::uint32_t k, const double* b) HAPTIC_REALTIME;

  /// Replaces H by its factors. @returns false if a pivot is not positive
  [[nodiscard]] bool factor() HAPTIC_REALTIME;
  /// b_k . H^-1 b_k, after factor().
  double energy(std::uint32_t k) const HAPTIC_REALTIME;
  /// x = H^-1 b_k, after factor(). @param x  n values
  void solve(std::uint32_t k, double* x) HAPTIC_REALTIME;
  /// The same for another right-hand side. @param x  n values: b, replaced by H^-1 b
  void solve(double* x) HAPTIC_REALTIME;

 private:
  static constexpr std::size_t kTile = 4, kTileSize = kTile * kTile;

  using Words = std::span<const std::uint64_t>;
  /// Which tiles of a row of tiles can differ from zero; all of those of the right-hand sides.
  Words row(std::size_t i) const HAPTIC_REALTIME {
    return i == tiles_ ? Words(all_) : pattern_.subspan(words_ * i, words_);
  }
  /// Four columns of four.
  double* tile(std::size_t i, std::size_t k) HAPTIC_REALTIME {
    return values_.data() + kTileSize * (tiles_ * i + k);
  }
  const double* tile(std::size_t i, std::size_t k) const HAPTIC_REALTIME {
    return values_.data() + kTileSize * (tiles_ * i + k);
  }
  double& element(std::size_t i, std::size_t j) HAPTIC_REALTIME {
    return tile(i / kTile, j / kTile)[kTile * (j % kTile) + i % kTile];
  }
  template <class Visit>
  void for_each_left(Words words, std::size_t end, Visit&& visit) const HAPTIC_REALTIME;
  bool factor_tile(std::size_t k) HAPTIC_REALTIME;
  template <std::size_t kRows>
  void eliminate(std::size_t column, const std::uint32_t* rows) HAPTIC_REALTIME;
  bool eliminate_column(std::size_t k) HAPTIC_REALTIME;
  void substitute_back(double* x) HAPTIC_REALTIME;

  std::uint32_t unknowns_;
  std::size_t tiles_;  // along an edge of H
  std::size_t words_;  // of a row of tiles in the pattern
  std::vector<std::uint64_t> dense_, all_;
  Words pattern_;
  HugeVector<double> values_;  // rows of tiles; the last one holds the right-hand sides
  HugeVector<double> diagonal_, solution_;
  HugeVector<double> scaled_;                              // D L^T of the column of tiles in work
  std::vector<std::uint32_t> below_;                       // rows of tiles that this column changes
  double lower_[kTile][kTile] = {}, inverse_[kTile] = {};  // L and D^-1 of its diagonal tile
};

}  // namespace haptic
