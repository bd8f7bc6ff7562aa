#include "rt/worlds/condensed/constraint_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rt/worlds/condensed/vector_products.h"
#include "shared/assert.h"
#include "shared/simd/simd_target.h"

namespace haptic::condensed {

ConstraintSolver::ConstraintSolver(std::size_t capacity, double tolerance)
    : stride_((capacity + 7) / 8 * 8),
      tolerance_(tolerance),
      factor_(capacity * stride_),
      orthogonal_(capacity * stride_),
      order_(capacity),
      diagonal_(capacity),
      scaling_(capacity),
      columns_(capacity),
      weights_(capacity),
      work_(capacity),
      kernels_(weighted_rows_kernels(simd_target())) {
  HAPTIC_DEMAND(capacity > 0 && tolerance > 0.0);
}

std::size_t ConstraintSolver::factorise(const SymmetricView& S, double scale) HAPTIC_REALTIME {
  HAPTIC_ASSERT(S.rows <= order_.size());
  const std::size_t n = rows_ = S.rows;
  const double zero = tolerance_ * scale;
  for (std::size_t i = 0; i < n; ++i) {
    order_[i] = i;
    diagonal_[i] = S(i, i);
  }
  std::size_t k = 0;
  for (; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i) {
      if (diagonal_[i] > diagonal_[pivot]) pivot = i;
    }
    // Not a number is no pivot.
    if (!(diagonal_[pivot] > zero)) break;
    if (pivot != k) {
      std::swap(order_[k], order_[pivot]);
      std::swap(diagonal_[k], diagonal_[pivot]);
      for (std::size_t j = 0; j < k; ++j) std::swap(column(j)[k], column(j)[pivot]);
    }
    // Column k of L, by all columns before it.
    double* const to = column(k);
    const double* const of_S = S.row(order_[k]);
    for (std::size_t i = k + 1; i < n; ++i) to[i] = of_S[order_[i]];
    for (std::size_t j = 0; j < k; ++j) {
      columns_[j] = column(j) + k + 1;
      weights_[j] = -column(j)[k];
    }
    kernels_.add(columns_.data(), weights_.data(), k, n - k - 1, to + k + 1);
    to[k] = std::sqrt(diagonal_[k]);
    const double inverse = 1.0 / to[k];
    for (std::size_t i = k + 1; i < n; ++i) {
      to[i] *= inverse;
      diagonal_[i] -= to[i] * to[i];
    }
  }
  rank_ = k;
  indefinite_ = false;
  for (std::size_t i = k; i < n; ++i) indefinite_ = indefinite_ || !(diagonal_[i] >= -zero);
  if (rank_ < n) orthogonalise();
  return rank_;
}

/// Householder QR of the factor: L = Q (R; 0).
void ConstraintSolver::orthogonalise() HAPTIC_REALTIME {
  for (std::size_t k = 0; k < rank_; ++k) {
    double* const v = &orthogonal_[k * stride_];
    std::fill_n(v, k, 0.0);
    std::copy(column(k) + k, column(k) + rows_, v + k);
  }
  for (std::size_t k = 0; k < rank_; ++k) {
    double* const v = &orthogonal_[k * stride_];
    const std::size_t below = rows_ - k - 1;
    const double head = v[k], tail = dot(v + k + 1, v + k + 1, below);
    const double norm = std::copysign(std::sqrt(head * head + tail), head);
    // v = x + norm e, reflected to -norm e, stored with v_k = 1.
    scaling_[k] = (head + norm) / norm;
    for (std::size_t i = k + 1; i < rows_; ++i) v[i] /= head + norm;
    v[k] = -norm;
    for (std::size_t j = k + 1; j < rank_; ++j) reflect(k, &orthogonal_[j * stride_]);
  }
}

/// v = (I - scaling w w^T) v with the k-th reflection's w = (0; 1; below).
void ConstraintSolver::reflect(std::size_t k, double* v) const HAPTIC_REALTIME {
  const double* const w = &orthogonal_[k * stride_] + k + 1;
  const std::size_t below = rows_ - k - 1;
  const double along = scaling_[k] * (v[k] + dot(w, v + k + 1, below));
  v[k] -= along;
  add_scaled(-along, w, below, v + k + 1);
}

void ConstraintSolver::solve(std::span<const double> b, std::span<double> x) HAPTIC_REALTIME {
  HAPTIC_ASSERT(b.size() == rows_ && x.size() == rows_);
  double* const y = work_.data();
  for (std::size_t i = 0; i < rows_; ++i) y[i] = b[order_[i]];
  if (rank_ == rows_) {
    for (std::size_t k = 0; k < rows_; ++k) {
      y[k] /= column(k)[k];
      add_scaled(-y[k], column(k) + k + 1, rows_ - k - 1, y + k + 1);
    }
    for (std::size_t k = rows_; k-- > 0;) {
      const double below = dot(column(k) + k + 1, y + k + 1, rows_ - k - 1);
      y[k] = (y[k] - below) / column(k)[k];
    }
  } else {
    for (std::size_t k = 0; k < rank_; ++k) reflect(k, y);
    // R R^T z = y; column k of R is the head of the k-th column.
    for (std::size_t k = rank_; k-- > 0;) {
      const double* const R = &orthogonal_[k * stride_];
      y[k] /= R[k];
      add_scaled(-y[k], R, k, y);
    }
    for (std::size_t k = 0; k < rank_; ++k) {
      const double* const R = &orthogonal_[k * stride_];
      y[k] = (y[k] - dot(R, y, k)) / R[k];
    }
    std::fill(y + rank_, y + rows_, 0.0);
    for (std::size_t k = rank_; k-- > 0;) reflect(k, y);
  }
  for (std::size_t i = 0; i < rows_; ++i) x[order_[i]] = y[i];
}

double largest_residual(const SymmetricView& S, std::span<const double> b,
                        std::span<const double> x) HAPTIC_REALTIME {
  double largest = 0.0;
  for (std::size_t i = 0; i < S.rows; ++i) {
    largest = std::max(largest, std::abs(b[i] - dot(S.row(i), x.data(), S.rows)));
  }
  return largest;
}

}  // namespace haptic::condensed
