#pragma once

#include <Eigen/Core>
#include <cstddef>

#include "shared/realtime.h"

namespace haptic::condensed {

/// a . b over `count` values, no alignment needed.
inline double dot(const double* a, const double* b, std::size_t count) HAPTIC_REALTIME {
  using Vector = Eigen::Map<const Eigen::VectorXd>;
  const auto n = static_cast<Eigen::Index>(count);
  return Vector(a, n).dot(Vector(b, n));
}

/// y += a x over `count` values.
inline void add_scaled(double a, const double* x, std::size_t count, double* y) HAPTIC_REALTIME {
  const auto n = static_cast<Eigen::Index>(count);
  Eigen::Map<Eigen::VectorXd>(y, n) += a * Eigen::Map<const Eigen::VectorXd>(x, n);
}

}  // namespace haptic::condensed
