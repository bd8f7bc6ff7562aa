#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>

#include "rt/dynamics/aligned_vector.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// x, y, z of particle 0, then of particle 1 and so on: 3n values.
using ParticleVectors = AlignedVector<double>;

inline Eigen::Map<Vector3> at(std::span<double> vectors, std::size_t particle) HAPTIC_REALTIME {
  return Eigen::Map<Vector3>(vectors.data() + 3 * particle);
}
inline Eigen::Map<const Vector3> at(std::span<const double> vectors,
                                    std::size_t particle) HAPTIC_REALTIME {
  return Eigen::Map<const Vector3>(vectors.data() + 3 * particle);
}
inline Eigen::Map<Vector3> at(ParticleVectors& vectors, std::size_t particle) HAPTIC_REALTIME {
  return at(std::span<double>(vectors), particle);
}
inline Eigen::Map<const Vector3> at(const ParticleVectors& vectors,
                                    std::size_t particle) HAPTIC_REALTIME {
  return at(std::span<const double>(vectors), particle);
}

}  // namespace haptic::cloth
