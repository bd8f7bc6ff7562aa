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
/// The right-hand sides are rows below H and are eliminated with it. Blocks of four columns; H is
/// padded to whole blocks with the identity.
///
/// Use: set_unknowns() where n changes; clear(); fill column(j); set_right_hand_side(); remove();
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
  /// Column j of H: its elements i from j to n - 1. Elements before j have no meaning.
  double* column(std::uint32_t j) HAPTIC_REALTIME { return values_.data() + stride_ * j; }
  /// @param b  n values
  void set_right_hand_side(std::uint32_t k, const double* b) HAPTIC_REALTIME;

  /// Makes `count` unknowns from `first` on zero in all solutions.
  void remove(std::uint32_t first, std::uint32_t count) HAPTIC_REALTIME;

  /// Replaces H by its factors. @returns false if a pivot is not positive
  [[nodiscard]] bool factor() HAPTIC_REALTIME;
  /// b_k . H^-1 b_k, after factor().
  double energy(std::uint32_t k) const HAPTIC_REALTIME;
  /// x = H^-1 b_k, after factor(). @param x  n values
  void solve(std::uint32_t k, double* x) HAPTIC_REALTIME;
  /// The same for another right-hand side. @param x  n values: b, replaced by H^-1 b
  void solve(double* x) HAPTIC_REALTIME;

 private:
  static constexpr std::size_t kBlock = 4;

  using Words = std::span<const std::uint64_t>;
  Words row(std::size_t tile) const HAPTIC_REALTIME {
    return tiles_.subspan(words_ * tile, words_);
  }
  bool factor_block(std::size_t first, const double (&block)[kBlock][kBlock]) HAPTIC_REALTIME;
  bool eliminate(std::size_t tile) HAPTIC_REALTIME;
  void substitute_back(double* x) HAPTIC_REALTIME;

  std::uint32_t unknowns_;
  std::size_t padded_, stride_;  // n in whole blocks; with a block of right-hand sides
  std::size_t words_;            // of a row of tiles
  std::vector<std::uint64_t> dense_;
  Words tiles_;
  HugeVector<double> values_;  // padded_ columns of stride_
  HugeVector<double> diagonal_, solution_;
  HugeVector<double> scaled_;  // D L^T of the four columns in work, four values per column
  double lower_[kBlock][kBlock] = {};
};

}  // namespace haptic
