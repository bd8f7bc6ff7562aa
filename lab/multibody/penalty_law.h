#pragma once

#include <algorithm>

#include "shared/math/pose.h"

namespace haptic {

/// Force between two overlapping spheres, or a sphere and the ground: a spring and a damper along
/// the normal that never pull, and friction that is viscous below `slip_speed` and Coulomb's above.
struct PenaltyLaw {
  double stiffness = 200.0;  ///< N/m per pair of spheres
  double damping = 0.5;      ///< N s/m along the normal
  double friction = 0.3;     ///< coefficient
  double slip_speed = 0.05;  ///< m/s

  /// @param depth    overlap [m]
  /// @param normal   unit, away from the other body
  /// @param velocity of this body's point relative to the other's [m/s]
  /// @returns force on this body [N]
  Vector3 force(double depth, const Vector3& normal, const Vector3& velocity) const {
    if (!(depth > 0.0)) return Vector3::Zero();
    const double approach = -normal.dot(velocity);
    const double pressed = std::max(0.0, stiffness * depth + damping * approach);
    const Vector3 slip = velocity + approach * normal;
    return pressed * (normal - friction / std::max(slip.norm(), slip_speed) * slip);
  }
};

}  // namespace haptic
