#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rt/dynamics/aligned_vector.h"
#include "rt/worlds/condensed/contact_compliance.h"
#include "rt/worlds/condensed/weighted_rows.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// Solves S x = b for the symmetric positive semi-definite compliance of contacts, which is
/// singular where contacts are redundant: the least-squares solution of least norm.
///
/// Cholesky with diagonal pivoting, P^T S P = L L^T, finds the rank. If it is not full, Householder
/// QR of L makes the factorisation complete orthogonal: S = Q R R^T Q^T, x = Q R^-T R^-1 Q^T b.
/// Cost n^3/3, and 2 n r^2 more if the rank r < n; n^2 a right-hand side. Bounded, never allocates.
/// Source: docs/methods/static-dynamic.md, "Redundant contacts"; Higham 2002, chapter 10.
class ConstraintSolver {
 public:
  static constexpr double kTolerance = 1e-10;

  /// @param capacity   largest number of unknowns. Allocates 2 capacity^2 doubles
  /// @param tolerance  a pivot up to tolerance * scale is zero
  explicit ConstraintSolver(std::size_t capacity, double tolerance = kTolerance);

  /// Factorises S. @param scale  what pivots are compared with: ContactCompliance::scale()
  /// @returns the rank r, 0 to S.rows
  std::size_t factorise(const SymmetricView& S, double scale) HAPTIC_REALTIME;

  std::size_t rows() const HAPTIC_REALTIME { return rows_; }
  std::size_t rank() const HAPTIC_REALTIME { return rank_; }
  /// Whether a value that should be zero is below -tolerance * scale: S is not semi-definite.
  bool indefinite() const HAPTIC_REALTIME { return indefinite_; }

  /// x = S^+ b. @param b, x  rows() values each; they may be the same memory. Zeros for rank 0
  void solve(std::span<const double> b, std::span<double> x) HAPTIC_REALTIME;

 private:
  double* column(std::size_t k) HAPTIC_REALTIME { return &factor_[k * stride_]; }
  void orthogonalise() HAPTIC_REALTIME;
  void reflect(std::size_t k, double* v) const HAPTIC_REALTIME;

  std::size_t stride_, rows_ = 0, rank_ = 0;
  double tolerance_;
  bool indefinite_ = false;
  AlignedVector<double> factor_;        // L by columns, rows in the order of the pivots
  AlignedVector<double> orthogonal_;    // rank columns of rows: R above, reflections below
  std::vector<std::size_t> order_;      // unknown of each row of the factor
  std::vector<double> diagonal_;        // what is left of it
  std::vector<double> scaling_;         // of the reflections
  std::vector<const double*> columns_;  // working memory of the kernels
  std::vector<double> weights_, work_;
  const WeightedRowsKernels& kernels_;
};

/// Largest |b - S x| [m]: what inconsistent demands on redundant contacts leave.
double largest_residual(const SymmetricView& S, std::span<const double> b,
                        std::span<const double> x) HAPTIC_REALTIME;

}  // namespace haptic::condensed
