#pragma once

#include <span>

#include "shared/math/pose.h"

namespace haptic {

/// How even a sampling is: distances to the nearest other sample.
struct SpacingStatistics {
  double mean = 0.0;                      ///< [m]
  double minimum = 0.0;                   ///< [m]
  double coefficient_of_variation = 0.0;  ///< standard deviation / mean
};

/// Zeros for fewer than two points.
SpacingStatistics nearest_spacing(std::span<const Vector3> points);

}  // namespace haptic
