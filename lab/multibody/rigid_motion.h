#pragma once

#include "host/mesh/rigid_body.h"
#include "shared/math/pose.h"

namespace haptic {

/// State of a rigid body by its momenta, which only impulses change.
struct RigidState {
  Vector3 centre = Vector3::Zero();                 ///< of mass, world [m]
  Quaternion orientation = Quaternion::Identity();  ///< body -> world
  Vector3 momentum = Vector3::Zero();               ///< kg m/s, world
  Vector3 angular_momentum = Vector3::Zero();       ///< about the centre, world [kg m^2/s]
};

/// Angular velocity I^-1 L [rad/s], world axes. @param properties in body axes
Vector3 angular_velocity(const RigidProperties& properties, const RigidState& state);

/// Kinetic energy [J].
double kinetic_energy(const RigidProperties& properties, const RigidState& state);

/// One step under force [N] and torque about the centre [N m], world axes, constant over the step:
/// momenta by their impulses (so that flight without contact keeps the angular momentum to
/// rounding), then position and orientation from the new momenta, the orientation with the angular
/// velocity at the middle of the step.
void advance(const RigidProperties& properties, const Vector3& force, const Vector3& torque,
             double dt, RigidState& state);

}  // namespace haptic
