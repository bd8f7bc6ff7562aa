#pragma once

#include <cmath>

#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// The potential k d^2 / 2 of a point in a field, as a spring along a unit vector:
/// slope_squared * k distance^2 / 2.
struct FieldNormal {
  Vector3 normal;        ///< unit gradient of the field
  double distance;       ///< along it to d = 0, if the gradient is constant [m]
  double slope_squared;  ///< of the gradient's length; about 1
};

/// @param distance  of the field at p [m]. Where its gradient vanishes (between two walls of equal
///                  distance), the normal is x and the slope 0: such a point has no force
inline FieldNormal field_normal(const SignedField& field, const Vector3& p,
                                double distance) HAPTIC_REALTIME {
  constexpr double kLeastSlope = 1e-3;
  const Vector3 gradient = field.distance_and_gradient(p).gradient;
  const double slope = gradient.norm();
  if (!(slope > kLeastSlope)) return {Vector3::UnitX(), distance, 0.0};
  return {gradient / slope, distance / slope, slope * slope};
}

}  // namespace haptic
