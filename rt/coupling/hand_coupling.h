#pragma once

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// What a hand feels of a held body: the law between the two, apart from whoever moves the body. A
/// plain value, so that a servo at another rate than the world's can keep it with the body's
/// newest pose (docs/methods/contact-and-coupling.md, "Simulation and device").
struct HandCoupling {
  Pose home;                  ///< of the held body when the hand is at the device's origin, world
  double length_scale = 1.0;  ///< simulated m per m of hand
  double stiffness = 0.0;     ///< k_VC [N/m], simulated
  double rotational_stiffness = 0.0;  ///< k_T [N·m] of the torque law; small-angle slope k_T / 2
  double damping = 0.0;               ///< of the gap's rate [N·s/m], simulated
  double rotational_damping = 0.0;    ///< N·m·s/rad

  /// The hand scaled into the world: position from `home`, orientation before it.
  Pose manipulandum(const Pose& hand) const HAPTIC_REALTIME;
  Twist manipulandum(const Twist& hand) const HAPTIC_REALTIME {
    return {length_scale * hand.linear, hand.angular};
  }

  /// On the hand: the unsaturated law -k_VC (x_m - x_s), -k_T vec(q_m q_s^-1), so that pushing
  /// further always feels harder, and the dampers against the body's own motion; twists matter only
  /// with damping. Limits of the device are the servo's.
  Wrench wrench(const Pose& manipulandum, const Twist& manipulandum_twist, const Pose& held,
                const Twist& held_twist) const HAPTIC_REALTIME;

  /// Energy that the springs can give back to the hand [J]: k_VC r² / 2 over the length scale, and
  /// 2 k_T (1 - cos(theta/2)).
  double stored(const Pose& manipulandum, const Pose& held) const HAPTIC_REALTIME;
};

}  // namespace haptic
