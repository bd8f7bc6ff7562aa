#pragma once

#include <filesystem>

#include "host/reduction/reduced_polynomials.h"

namespace haptic {

/// A .cub file as our quartic energy.
struct CubicPolynomial {
  ReducedPolynomials energy;
  /// Largest difference between coefficients that a gradient must share, relative to the largest
  /// coefficient of the same degree; 0 where VegaFEM's sums happen to agree exactly.
  double asymmetry = 0.0;
};

/// Reads VegaFEM's reduced StVK force (.cub): int32 r, r, C(r+1,2), C(r+2,3), then doubles: linear
/// r x r, quadratic r x C(r+1,2), cubic r x C(r+2,3), output-major, i <= j <= k with the last index
/// fastest:
///   f_l(q) = P^i_l q_i + sum_{i<=j} Q^ij_l q_i q_j + sum_{i<=j<=k} S^ijk_l q_i q_j q_k.
/// StVK has an energy, so the coefficients are those of three totally symmetric tensors, each
/// repeated for every choice of the output index; the copies are averaged.
/// @throws InputError if the length does not fit the header, r is not in 1..64, a number is not
///         finite, or the copies differ by more than 1e-9 (the force has no energy)
CubicPolynomial read_cub(const std::filesystem::path& path);

/// Writes the force dW/dq of the energy in the same layout.
void write_cub(const std::filesystem::path& path, const ReducedPolynomials& energy);

}  // namespace haptic
