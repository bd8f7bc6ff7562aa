#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>

namespace haptic {

/// The classical packed form of the reduced polynomials (Barbic 2007, section 2.6.4, eq 2.27 and
/// 2.32): separate cubic force and quadratic stiffness, each one dense matrix times a vector of
/// monomials. The plain oracle and the reference of the benchmarks.
struct PackedPolynomials {
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Spreads distinct symmetric coefficients (layout of rt/dynamics/reduced_energy.h).
  PackedPolynomials(std::uint32_t r, std::span<const double> quadratic,
                    std::span<const double> cubic, std::span<const double> quartic);

  /// Bytes of the coefficients, 8 (N_R + N_K).
  std::size_t byte_count() const;

  Eigen::VectorXd force(const Eigen::VectorXd& q) const;
  Eigen::MatrixXd stiffness(const Eigen::VectorXd& q) const;

  Eigen::Index r;
  RowMatrix force_coefficients;      // r x (r + C(r+1,2) + C(r+2,3)); monomials of degree 1, 2, 3
  RowMatrix stiffness_coefficients;  // C(r+1,2) x (1 + r + C(r+1,2)); degree 0, 1, 2
};

/// Monomials of degree 1, 2, 3 (i, i <= j, i <= j <= k, last index fastest) without allocating.
void force_monomials(const Eigen::VectorXd& q, Eigen::VectorXd& monomials);
/// Monomials of degree 0, 1, 2.
void stiffness_monomials(const Eigen::VectorXd& q, Eigen::VectorXd& monomials);

}  // namespace haptic
