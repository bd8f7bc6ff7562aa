#include "rt/worlds/condensed/constraint_solver.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "rt/worlds/condensed/vector_products.h"
#include "shared/assert.h"

namespace haptic {
namespace {

using Vector = Eigen::Map<Eigen::VectorXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;
using ConstRows =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>,
               Eigen::Unaligned, Eigen::OuterStride<>>;

Eigen::Index index(std::size_t i) HAPTIC_REALTIME {
  return static_cast<Eigen::Index>(i);
}

}  // namespace

ConstraintSolver::ConstraintSolver(std::size_t capacity, double tolerance)
    : stride_((capacity + 7) / 8 * 8),
      tolerance_(tolerance),
      factor_(capacity * stride_),
      orthogonal_(capacity * stride_),
      order_(capacity),
      diagonal_(capacity),
      scaling_(capacity),
      column_(capacity),
      work_(capacity) {
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
      std::swap_ranges(&factor_[k * stride_], &factor_[k * stride_] + k, &factor_[pivot * stride_]);
    }
    const double root = std::sqrt(diagonal_[k]), inverse = 1.0 / root;
    double* const row = &factor_[k * stride_];
    row[k] = root;
    const std::size_t below = n - k - 1;
    if (below == 0) continue;
    const ConstRows rows(row + stride_, index(below), index(k),
                         Eigen::OuterStride<>(index(stride_)));
    Vector products(column_.data(), index(below));
    products.noalias() = rows * ConstVector(row, index(k));
    const double* const of_S = S.row(order_[k]);
    for (std::size_t i = 0; i < below; ++i) {
      const std::size_t at = k + 1 + i;
      const double value = (of_S[order_[at]] - column_[i]) * inverse;
      factor_[at * stride_ + k] = value;
      diagonal_[at] -= value * value;
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
    for (std::size_t i = 0; i < rows_; ++i) v[i] = i < k ? 0.0 : factor_[i * stride_ + k];
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
    for (std::size_t i = 0; i < rows_; ++i) {
      const double* const row = &factor_[i * stride_];
      y[i] = (y[i] - dot(row, y, i)) / row[i];
    }
    for (std::size_t i = rows_; i-- > 0;) {
      const double* const row = &factor_[i * stride_];
      y[i] /= row[i];
      add_scaled(-y[i], row, i, y);
    }
  } else {
    for (std::size_t k = 0; k < rank_; ++k) reflect(k, y);
    // R R^T z = y; column k of R is stored above row k + 1 of the k-th column.
    for (std::size_t k = rank_; k-- > 0;) {
      const double* const column = &orthogonal_[k * stride_];
      y[k] /= column[k];
      add_scaled(-y[k], column, k, y);
    }
    for (std::size_t k = 0; k < rank_; ++k) {
      const double* const column = &orthogonal_[k * stride_];
      y[k] = (y[k] - dot(column, y, k)) / column[k];
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

}  // namespace haptic
