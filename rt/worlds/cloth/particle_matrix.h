#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/dynamics/aligned_vector.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// A symmetric positive definite n x n matrix with one number for each pair of particles that a
/// spring joins, and its Cholesky factor in the envelope of its rows.
///
/// The particles are ordered by reverse Cuthill-McKee, so a row of the factor has about as many
/// values as the cloth is wide. The pattern is fixed at construction; entries may change after it.
/// Source: docs/methods/cloth.md, "Implicit steps"; George & Liu 1981, chapter 4.
class ParticleMatrix {
 public:
  /// @param first, second  particles of the pairs, first != second
  ParticleMatrix(std::size_t particles, std::span<const std::uint32_t> first,
                 std::span<const std::uint32_t> second);

  /// Sets the matrix diag(own) + sum over pairs of weight_p (e_i - e_j)(e_i - e_j)^T, with the rows
  /// and columns of particles whose `free` is 0 replaced by those of the identity, and factors it.
  /// @returns false if a pivot is not positive
  [[nodiscard]] bool factor(std::span<const double> own, std::span<const double> weights,
                            std::span<const double> free) HAPTIC_REALTIME;

  /// Solves for three right sides at once, x, y and z of each particle: 3n values, in place.
  void solve(std::span<double> vectors) HAPTIC_REALTIME;

  std::size_t size() const HAPTIC_REALTIME { return place_.size(); }
  std::size_t factor_entries() const HAPTIC_REALTIME { return values_.size(); }

 private:
  double* row(std::size_t i) HAPTIC_REALTIME { return values_.data() + (row_end_[i] - i); }

  std::vector<std::uint32_t> first_, second_;
  std::vector<std::uint32_t> place_;   // of each particle in the order of the factor
  std::vector<std::uint32_t> column_;  // first column of each row of the envelope
  std::vector<std::size_t> row_end_;   // index of each row's diagonal in values_
  AlignedVector<double> values_;       // rows from their first column to the diagonal
  AlignedVector<double> ordered_;      // 3n
};

}  // namespace haptic::cloth
