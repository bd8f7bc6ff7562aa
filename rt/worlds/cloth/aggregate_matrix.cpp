#include "rt/worlds/cloth/aggregate_matrix.h"

#include <algorithm>
#include <cmath>

#include "shared/assert.h"

namespace haptic::cloth {
namespace {

using Rows =
    Eigen::Map<Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>, 0, Eigen::OuterStride<>>;
using ConstRows = Eigen::Map<const Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>, 0,
                             Eigen::OuterStride<>>;

Rows block_columns(double* row, std::size_t width, std::size_t from,
                   std::size_t count) HAPTIC_REALTIME {
  return {row + 3 * from, 3, static_cast<Eigen::Index>(3 * count),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(width))};
}

/// Inverse of the lower Cholesky factor of `block`; rows of pivots that rounding leaves of
/// `diagonal` are zero.
Matrix3 inverse_factor(const Matrix3& block, const Vector3& diagonal) HAPTIC_REALTIME {
  constexpr double kRounding = 1e-11;
  Matrix3 L = Matrix3::Zero(), inverse = Matrix3::Zero();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < i; ++j) {
      double sum = block(i, j);
      for (int k = 0; k < j; ++k) sum -= L(i, k) * L(j, k);
      L(i, j) = sum * inverse(j, j);
    }
    const double pivot = block(i, i) - L.row(i).squaredNorm();
    if (!(pivot > kRounding * diagonal[i])) {
      L.row(i).setZero();
      continue;
    }
    L(i, i) = std::sqrt(pivot);
    inverse(i, i) = 1.0 / L(i, i);
    for (int j = 0; j < i; ++j) {
      double sum = 0.0;
      for (int k = j; k < i; ++k) sum -= L(i, k) * inverse(k, j);
      inverse(i, j) = sum * inverse(i, i);
    }
  }
  return inverse;
}

}  // namespace

AggregateMatrix::AggregateMatrix(std::span<const std::uint32_t> first_column)
    : first_(first_column.begin(), first_column.end()),
      begin_(first_column.size()),
      inverse_(first_column.size(), Matrix3::Zero()) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < first_.size(); ++i) {
    HAPTIC_DEMAND(first_[i] <= i);
    begin_[i] = count;
    count += 3 * width(i);
  }
  values_.resize(count);
}

void AggregateMatrix::clear() HAPTIC_REALTIME {
  std::fill(values_.begin(), values_.end(), 0.0);
}

void AggregateMatrix::add(std::size_t row, std::size_t column,
                          const Matrix3& block) HAPTIC_REALTIME {
  HAPTIC_ASSERT(column <= row && has(row, column));
  block_columns(values_.data() + begin_[row], width(row), column - first_[row], 1) += block;
}

void AggregateMatrix::factor() HAPTIC_REALTIME {
  for (std::size_t i = 0; i < size(); ++i) {
    double* const of_i = values_.data() + begin_[i];
    Rows own = block_columns(of_i, width(i), i - first_[i], 1);
    const Vector3 diagonal = own.diagonal();
    for (std::size_t j = first_[i]; j < i; ++j) {
      double* const of_j = values_.data() + begin_[j];
      const std::size_t from = std::max(first_[i], first_[j]);
      Rows block = block_columns(of_i, width(i), j - first_[i], 1);
      Matrix3 rest = block;
      rest -=
          block_columns(of_i, width(i), from - first_[i], j - from)
              .lazyProduct(block_columns(of_j, width(j), from - first_[j], j - from).transpose());
      block = rest * inverse_[j].transpose();
    }
    const Rows before = block_columns(of_i, width(i), 0, i - first_[i]);
    const Matrix3 rest = own - before.lazyProduct(before.transpose());
    inverse_[i] = inverse_factor(rest, diagonal);
  }
}

void AggregateMatrix::solve(std::span<double> vector) const HAPTIC_REALTIME {
  const auto part = [&](std::size_t from, std::size_t count) HAPTIC_REALTIME {
    return Eigen::Map<Eigen::VectorXd>(vector.data() + 3 * from,
                                       static_cast<Eigen::Index>(3 * count));
  };
  const auto before = [&](std::size_t i) HAPTIC_REALTIME {
    return ConstRows(values_.data() + begin_[i], 3, static_cast<Eigen::Index>(3 * (i - first_[i])),
                     Eigen::OuterStride<>(static_cast<Eigen::Index>(width(i))));
  };
  for (std::size_t i = 0; i < size(); ++i) {
    const Vector3 rest = part(i, 1) - before(i).lazyProduct(part(first_[i], i - first_[i]));
    part(i, 1) = inverse_[i] * rest;
  }
  for (std::size_t i = size(); i-- > 0;) {
    const Vector3 found = inverse_[i].transpose() * part(i, 1);
    part(i, 1) = found;
    part(first_[i], i - first_[i]) -= before(i).transpose().lazyProduct(found);
  }
}

}  // namespace haptic::cloth
