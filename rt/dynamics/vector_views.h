#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cstddef>
#include <initializer_list>
#include <new>
#include <span>

#include "rt/dynamics/aligned_vector.h"
#include "shared/realtime.h"

namespace haptic {

/// Views without a copy: the coefficients of a vector or matrix as a span (a matrix by columns),
/// and a span as a vector.
inline std::span<const double> view(const Eigen::VectorXd& v) HAPTIC_REALTIME {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

inline std::span<double> view(Eigen::VectorXd& v) HAPTIC_REALTIME {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

inline std::span<double> view(Eigen::MatrixXd& m) HAPTIC_REALTIME {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

/// Vectors and matrices in memory that ViewMemory provides.
using VectorView = Eigen::Map<Eigen::VectorXd, Eigen::AlignedMax>;
using MatrixView = Eigen::Map<Eigen::MatrixXd, Eigen::AlignedMax>;

inline std::span<const double> view(const VectorView& v) HAPTIC_REALTIME {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

inline std::span<double> view(VectorView& v) HAPTIC_REALTIME {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

inline std::span<double> view(MatrixView& m) HAPTIC_REALTIME {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

/// Memory of vectors of n and matrices of n x n values, whose n changes without allocation.
class ViewMemory {
 public:
  /// @param capacity  largest n
  ViewMemory(std::size_t capacity, std::size_t vectors, std::size_t matrices)
      : vector_(whole_lines(capacity)),
        matrix_(whole_lines(capacity * capacity)),
        values_(vectors * vector_ + matrices * matrix_, 0.0) {}

  /// Places the views, always in the same order. A vector keeps its values, also those behind n; a
  /// matrix keeps the values, but its columns are n values each.
  void place(Eigen::Index n, std::initializer_list<VectorView*> vectors,
             std::initializer_list<MatrixView*> matrices) HAPTIC_REALTIME {
    double* at = values_.data();
    for (VectorView* const v : vectors) {
      new (v) VectorView(at, n);
      at += vector_;
    }
    for (MatrixView* const m : matrices) {
      new (m) MatrixView(at, n, n);
      at += matrix_;
    }
  }

 private:
  static constexpr std::size_t whole_lines(std::size_t count) { return (count + 7) / 8 * 8; }

  std::size_t vector_, matrix_;
  AlignedVector<double> values_;
};

/// Cholesky factorisation in the memory of a view; allocates nothing.
class CholeskyInView {
 public:
  explicit CholeskyInView(MatrixView& factor) : factor_(factor) {}
  /// @param matrix  of the size of the view @returns whether it is positive definite
  template <class Matrix>
  [[nodiscard]] bool compute(const Matrix& matrix) HAPTIC_REALTIME {
    factor_ = matrix;
    return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(factor_).info() == Eigen::Success;
  }
  void solve_in_place(VectorView& x) const HAPTIC_REALTIME {
    factor_.triangularView<Eigen::Lower>().solveInPlace(x);
    factor_.triangularView<Eigen::Lower>().adjoint().solveInPlace(x);
  }

 private:
  MatrixView& factor_;
};

/// Of a matrix of n x n values by columns, the leading `to` rows and columns, packed; zeros where
/// it grows. @param values  memory of the larger of both
inline void resize_square(double* values, std::size_t n, std::size_t to) HAPTIC_REALTIME {
  if (to < n) {
    for (std::size_t j = 0; j < to; ++j) {
      for (std::size_t i = 0; i < to; ++i) values[j * to + i] = values[j * n + i];
    }
    return;
  }
  for (std::size_t j = to; j-- > 0;) {
    for (std::size_t i = to; i-- > 0;) {
      values[j * to + i] = i < n && j < n ? values[j * n + i] : 0.0;
    }
  }
}

inline Eigen::Map<const Eigen::VectorXd> vector_of(std::span<const double> v) HAPTIC_REALTIME {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

}  // namespace haptic
