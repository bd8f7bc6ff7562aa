#pragma once

#include <Eigen/Core>

#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Rotation of a rigid body without torque, over one step. Exact for a body with two equal moments
/// of inertia, at any speed; else of fourth order, and its energy stays bounded over any time. The
/// angular momentum is never changed.
///
/// The kinetic energy is that of a symmetric top, whose motion has a closed form, and of a rotation
/// about one of its two equal axes, with the small difference of their moments; the motions under
/// both alternate. No iteration, whatever the inertia.
/// Source: docs/methods/multibody.md, "Free rotation"; McLachlan 1993; Blanes & Moan 2002, S6.
class FreeRotation {
 public:
  /// @param inertia  about the centre of mass, model axes [kg m^2], positive definite
  explicit FreeRotation(const Matrix3& inertia) { set_inertia(inertia); }
  void set_inertia(const Matrix3& inertia) HAPTIC_REALTIME;

  /// @param momentum  angular momentum at the step's start, model axes [kg m^2/s]
  /// @param spin      angular velocity that the body has besides that of `momentum`, model axes
  ///                  [rad/s]: of a rotor, or of a deformation. Constant over the step
  /// @returns the rotation over dt in model axes: the orientation R becomes R times it
  Quaternion turn(const Vector3& momentum, const Vector3& spin, double dt) const HAPTIC_REALTIME;

 private:
  Matrix3 axes_;   // principal: column per axis; the last is that of the symmetric top
  double equal_;   // 1 / moment of inertia of the top about its equal axes
  double along_;   // what 1 / moment is more about the last axis
  double second_;  // and about the second one
};

}  // namespace haptic
