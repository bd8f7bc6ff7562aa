#pragma once

#include "rt/coupling/grasp.h"
#include "rt/coupling/held_response.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Coupling law between the hand and the held body, independent of the code that moves the body. A
/// plain value, so that a servo at a different rate than the world can store it with the newest
/// pose of the body (docs/methods/contact-and-coupling.md, "Simulation and device").
struct HandCoupling {
  Pose home;                  ///< pose of the held body with the hand at the device's origin, world
  Grasp grasp;                ///< where the hand holds the body
  double length_scale = 1.0;  ///< simulated m per m of hand
  double stiffness = 0.0;     ///< k_VC [N/m], simulated
  double rotational_stiffness = 0.0;  ///< k_T [N·m] of the torque law; small-angle slope k_T / 2
  double damping = 0.0;               ///< on the rate of the gap [N·s/m], simulated
  double rotational_damping = 0.0;    ///< N·m·s/rad
  /// Of the held body to the manipulandum, for a servo at a separate rate (World::held_response).
  HeldResponse response;

  /// Pose of the body if it followed the hand: the grasp moves from home by length_scale hand, the
  /// orientation is hand home.
  Pose manipulandum(const Pose& hand) const HAPTIC_REALTIME;
  /// Twist of the manipulandum's grasp.
  Twist manipulandum(const Twist& hand) const HAPTIC_REALTIME {
    return {length_scale * hand.linear, hand.angular};
  }

  /// Pose of the held body with the manipulandum here, from that of the world step to which
  /// `response` belongs. Without a response it is the same, bit for bit.
  /// @param delayed  pose that follows the manipulandum with a delay
  Pose held(const Pose& manipulandum, const Pose& delayed,
            const Pose& held_of_step) const HAPTIC_REALTIME;

  /// Wrench on the hand [N, N·m], about the grasp: the unsaturated law -k_VC (x_m - x_s),
  /// -k_T vec(q_m q_s^-1) with x of the grasps, so that the force always grows with the gap, and
  /// the dampers relative to the motion of the body. The poses are of the bodies; the twists, of
  /// the grasps, are used only with damping. The servo applies the limits of the device.
  Wrench wrench(const Pose& manipulandum, const Twist& manipulandum_twist, const Pose& held,
                const Twist& held_twist) const HAPTIC_REALTIME;

  /// Energy that the springs can return to the hand [J]: k_VC r² / 2 over the length scale, and
  /// 2 k_T (1 - cos(theta/2)).
  double stored(const Pose& manipulandum, const Pose& held) const HAPTIC_REALTIME;
};

}  // namespace haptic
