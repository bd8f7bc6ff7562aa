#pragma once

#include <Eigen/Core>
#include <span>

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

inline Eigen::Map<const Eigen::VectorXd> vector_of(std::span<const double> v) HAPTIC_REALTIME {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

}  // namespace haptic
