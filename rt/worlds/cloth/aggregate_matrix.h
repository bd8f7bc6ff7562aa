#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/dynamics/aligned_vector.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// A symmetric positive semidefinite matrix of 3 x 3 blocks, and its Cholesky factor in the
/// envelope of its rows. Directions without stiffness get the solution 0.
///
/// Source: docs/methods/cloth.md, "Preconditioner"; George & Liu 1981, chapter 4.
class AggregateMatrix {
 public:
  /// @param first_column  of each row of blocks, at most its own number
  explicit AggregateMatrix(std::span<const std::uint32_t> first_column);

  std::size_t size() const HAPTIC_REALTIME { return begin_.size(); }  ///< rows of blocks
  void clear() HAPTIC_REALTIME;
  /// Whether the envelope has the block at (a, b).
  bool has(std::size_t a, std::size_t b) const HAPTIC_REALTIME {
    return std::min(a, b) >= first_[std::max(a, b)];
  }
  /// Adds a block and its transpose at (row, column), for row == column once.
  /// @pre row >= column, has(row, column)
  void add(std::size_t row, std::size_t column, const Matrix3& block) HAPTIC_REALTIME;
  void factor() HAPTIC_REALTIME;
  /// 3 values a row, in place.
  void solve(std::span<double> vector) const HAPTIC_REALTIME;

 private:
  // A row of blocks: 3 x 3 (row - first + 1) values, by row.
  std::size_t width(std::size_t row) const HAPTIC_REALTIME { return 3 * (row - first_[row] + 1); }
  std::vector<std::uint32_t> first_;
  std::vector<std::size_t> begin_;
  AlignedVector<double> values_;
  std::vector<Matrix3> inverse_;  // of the factor's diagonal blocks, lower
};

}  // namespace haptic::cloth
