#pragma once

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// How the held body of a world step would have moved with the manipulandum elsewhere, to first
/// order: the local solution of coupling and contact, for a servo that is faster than the world.
///
/// With d = (Dx [m]; Dw [rad]) the motion of the manipulandum's grasp since the step and
/// p = clamp(1 + release . d, 0, 1) what is left of the pressure of all contacts, the body's grasp
/// moves by
///   z = free d + p contact d - (1 - p)² pushed
/// about its pose of the step, world axes. While contacts press on, that is (free + contact) d;
/// where their pressure has come to zero, it is the motion without contact, free d - pushed.
/// Between the two the contact wrench is p ((2 - p) W + dW/dd d), whose pressure is p times that of
/// the step: contacts never pull. The default is a body that stays where it is.
/// Source: docs/methods/contact-and-coupling.md, "Response within a world step".
struct HeldResponse {
  Pose manipulandum;                    ///< of the step, frame of the body, world
  Matrix6 free = Matrix6::Zero();       ///< of the body without contact
  Matrix6 contact = Matrix6::Zero();    ///< what the change of the contact wrench adds
  Vector6 pushed = Vector6::Zero();     ///< what the whole contact wrench of the step adds
  Vector6 release = Vector6::Zero();    ///< relative change of the pressure [1/m, 1/rad]
  double max_motion = 0.0;              ///< of z, translation [m]; 0: none
  double max_rotation = 0.0;            ///< of z [rad]

  bool moves() const HAPTIC_REALTIME { return max_motion > 0.0 || max_rotation > 0.0; }
  /// z for d, at most max_motion and max_rotation.
  Vector6 motion(const Vector6& d) const HAPTIC_REALTIME;
};

}  // namespace haptic
