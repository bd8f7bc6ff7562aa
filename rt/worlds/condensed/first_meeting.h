#pragma once

#include "rt/geometry/moving_triangle.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// Where a moving point meets a moving triangle.
struct Meeting {
  double time = 1.0;                  ///< fraction of the step
  Vector3 weights = Vector3::Zero();  ///< barycentric, of the corners
};

/// First time at which a point that moves from `start` to `end` passes through a triangle from its
/// outer to its inner side.
/// @param tolerance  a point that starts at most this far inside counts as outside [m], >= 0
/// @returns false if it does not
bool first_meeting(const MovingTriangle& triangle, const Vector3& start, const Vector3& end,
                   double tolerance, Meeting& meeting) HAPTIC_REALTIME;

}  // namespace haptic::condensed
