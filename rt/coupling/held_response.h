#pragma once

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// How the held body of a world step would have moved with the manipulandum elsewhere, to first
/// order: the local solution of coupling and contact, for a servo that is faster than the world.
///
/// With d = (Dx [m]; Dw [rad]) the motion of the manipulandum's grasp since the step, the body's
/// grasp moves about its pose of the step, world axes, by
///   z = free d + y(d) - pushed,   y = r pushed + s (pushed + contact d - r pushed)
/// where y is the share of contact: `pushed` that of the step's contact wrench, and
/// r = max(0, 1 + release . d) the pressure of all contacts over that of the step. While contacts
/// press on, s = 1 and z = (free + contact) d. Contacts never pull and never hold by more than
/// friction: s <= r, and s is so small that |y| <= r reach (translation); `pushed` counts up to
/// that size, too. Without pressure, r = 0, z is that of free space. Where nothing presses, d
/// counts from the body's own pose, and the limits of z keep the body from what the world has not
/// met yet. The default is a body that stays where it is.
///
/// The part `late` of d is that of a pose which follows the manipulandum with a delay: a hand that
/// moves feels within the step what the world would hold back later.
/// Source: docs/methods/contact-and-coupling.md, "Response within a world step".
struct HeldResponse {
  Pose manipulandum;                  ///< from which d counts, frame of the body, world
  Matrix6 free = Matrix6::Zero();     ///< of the body without contact
  Vector6 late = Vector6::Zero();     ///< part of d that follows with a delay, by axis, 0 to 1
  Matrix6 contact = Matrix6::Zero();  ///< what the change of the contact wrench adds
  Vector6 pushed = Vector6::Zero();   ///< what the whole contact wrench of the step adds
  Vector6 release = Vector6::Zero();  ///< relative change of the pressure [1/m, 1/rad]
  double reach = 0.0;                 ///< |y| at the limit of friction, with r = 1 [m]
  double max_motion = 0.0;            ///< of z, translation and arm times rotation [m]; 0: none
  double max_rotation = 0.0;          ///< of z [rad]
  double arm = 0.0;                   ///< m

  bool moves() const HAPTIC_REALTIME { return max_motion > 0.0 || max_rotation > 0.0; }
  /// z for d, at most max_motion and max_rotation.
  Vector6 motion(const Vector6& d) const HAPTIC_REALTIME;
};

}  // namespace haptic
