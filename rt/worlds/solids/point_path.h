#pragma once

#include <optional>

#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::solids {

/// Motion of a body over a step.
struct StepMotion {
  Vector3 origin;                        ///< about which it turns, at the start, world [m]
  Vector6 z = Vector6::Zero();           ///< of the origin [m]; rotation vector [rad]; world
  Vector3 deformation{Vector3::Zero()};  ///< in addition, of the point, world [m]
};

/// Where and when a point first enters a field during a step, and the resulting contact.
struct FieldEntry {
  double fraction;   ///< of the step, 0..1
  Vector3 position;  ///< where the contact force acts on both bodies, at the start, world [m]
  Vector3 normal;    ///< unit vector of the force on the point, world
  Vector3 place;     ///< on the field's body where the point enters, at the start, world [m]
  double distance;   ///< along the normal at the start, of the linear motion that is zero there [m]
  double slope_squared;  ///< square of the length of the field's gradient there
};

/// Follows a point that may move by several voxels in a step, and finds where it enters the field.
/// Successive samples are 0.9 times the last distance apart, but at least half a voxel and 1/48 of
/// the path; a part that is thinner than this spacing can be missed.
///
/// The contact is linearised at the point of entry, with the normal of that instant. Both lever
/// arms end at the same place, so that force and reaction have no net torque; `moves` says how far
/// they are those of that instant: 1 the arm of the point's body, 0 that of the field's.
/// @param moves     0 to 1
/// @param position  of the point at the start, world [m]
/// @param distance  of the field there, >= 0 [m]
/// @param pose      of the field's body at the start
/// @returns nothing if the point does not enter, or if its linearised motion there is not inwards
/// Source: docs/methods/multibody.md, "Fast bodies".
std::optional<FieldEntry> find_entry(const SignedField& field, const Pose& pose,
                                     const Vector3& position, double distance,
                                     const StepMotion& of_point, const StepMotion& of_field,
                                     double moves) HAPTIC_REALTIME;

}  // namespace haptic::solids
