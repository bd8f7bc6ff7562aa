#pragma once

#include <optional>

#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// A tangent plane of a body: height of p above it is normal . (p - point).
struct SurfacePlane {
  Vector3 point = Vector3::Zero();  ///< m, material frame of the body
  Vector3 normal = Vector3::UnitZ();
  double slope_squared = 1.0;  ///< of the field there (FieldNormal)
};

/// The plane of distance `offset` from a field's body [m] nearest to p, with the normal of the
/// field at p.
SurfacePlane plane_at(const SignedField& field, const Vector3& p, double offset) HAPTIC_REALTIME;

/// Where the way of a point, straight from `from` by `change`, first comes nearer to a field's body
/// than `offset` [m]; from outside.
///
/// Marches by distances, so that it steps over nothing, however thin. At most kMaxSteps queries; a
/// way that slides along the surface for longer ends in the plane that is reached.
/// @returns nothing if it does not come nearer
std::optional<SurfacePlane> first_entry(const SignedField& field, const Vector3& from,
                                        const Vector3& change, double offset) HAPTIC_REALTIME;

/// Distance from the field at one point.
double distance_at(const SignedField& field, const Vector3& p) HAPTIC_REALTIME;

}  // namespace haptic::cloth
