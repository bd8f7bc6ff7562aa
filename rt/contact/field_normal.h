#pragma once

#include <cmath>

#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// A spring along a unit vector with the force of the potential k d^2 / 2, where d is the value of
/// a field at a point. The spring's stiffness is slope_squared * k. Source:
/// docs/methods/contact-and-coupling.md, "Point contact".
struct FieldNormal {
  Vector3 normal;        ///< direction of the field's gradient, unit length
  double distance;       ///< d over the length of the gradient [m]; d where that vanishes
  double slope_squared;  ///< square of the length of the gradient; about 1

  /// Length of the gradient; 1 where it vanishes.
  double slope() const HAPTIC_REALTIME {
    return slope_squared > 0.0 ? std::sqrt(slope_squared) : 1.0;
  }
};

/// @param distance  value of the field at p [m]
/// @returns the spring at p. Where the gradient vanishes, as at equal distance from two walls, its
///          stiffness is 0 and its direction is x
inline FieldNormal field_normal(const SignedField& field, const Vector3& p,
                                double distance) HAPTIC_REALTIME {
  constexpr double kMinSlope = 1e-3;
  const Vector3 gradient = field.distance_and_gradient(p).gradient;
  const double slope = gradient.norm();
  if (!(slope > kMinSlope)) return {Vector3::UnitX(), distance, 0.0};
  return {gradient / slope, distance / slope, slope * slope};
}

}  // namespace haptic
