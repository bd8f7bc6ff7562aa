#pragma once

#include <optional>

#include "rt/geometry/signed_field.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Motion of a rigid body over a step.
struct StepMotion {
  Vector3 origin;                        ///< about which it turns, at the start, world [m]
  Vector6 z = Vector6::Zero();           ///< of the origin [m]; rotation vector [rad]; world
  Vector3 deformation{Vector3::Zero()};  ///< in addition, of the point, world [m]
};

/// Where a point first comes into a field during a step, and the contact that this gives.
struct FieldEntry {
  double fraction;   ///< of the step, 0..1
  Vector3 position;  ///< where the contact force acts on both bodies, at the start, world [m]
  Vector3 normal;    ///< unit vector of the force on the point, world
  Vector3 place;     ///< of the field's body that the point meets, at the start, world [m]
  double distance;   ///< along the normal at the start, of the linear motion that is zero there [m]
  double slope_squared;  ///< square of the length of the field's gradient there
};

/// Follows a point that moves by several voxels in a step. The field is sampled at distances of at
/// least half a voxel and, far from its surface, as far as the sample before allows; at most
/// kMostSamples times.
///
/// The contact is linearised where the point comes in: with the normal and the arms of the bodies
/// of that instant. The arms are taken to one place, so that the force and its reaction have no
/// torque together.
/// @param position  of the point at the start, world [m]
/// @param distance  of the field there, >= 0 [m]
/// @param pose      of the field's body at the start
/// @returns nothing if it does not come in, or if its linearised motion there does not go inwards
/// Source: docs/methods/multibody.md, "Fast bodies".
std::optional<FieldEntry> find_entry(const SignedField& field, const Pose& pose,
                                     const Vector3& position, double distance,
                                     const StepMotion& of_point,
                                     const StepMotion& of_field) HAPTIC_REALTIME;

}  // namespace haptic
