#pragma once

#include <Eigen/Core>

#include "lab/multibody/rigid_motion.h"

// One step of a free rigid body by the linearised implicit Euler rule on (x, q, P, L):
//
//   (1 - h dS'/dS) dS = h S',    x' = P / m,  q' = (0, w) q / 2,  P' = F,  L' = T
//
// Source: Xu, Zhao & Barbic 2014, section 3. For comparison; FreeBody makes another step.

namespace haptic {

/// Force and torque about the centre of mass on a free body, and their derivatives. Rows: force,
/// then torque.
struct LinearWrench {
  Vector6 value = Vector6::Zero();        ///< N, N m
  Matrix6 by_pose = Matrix6::Zero();      ///< by (x, rotation vector), L constant
  Matrix6 by_velocity = Matrix6::Zero();  ///< by (v, w)
};

/// Position and orientation of a body, eliminated from its step: both as functions of the change of
/// the momenta.
class MomentumKinematics {
 public:
  /// @param h  step [s], > 0
  MomentumKinematics(const RigidProperties& body, const RigidState& state, double h);

  const Vector3& v() const { return v_; }  ///< of the centre of mass at the start [m/s]
  const Vector3& w() const { return w_; }  ///< rad/s
  /// V: the rotation vector over the step is h V (w + I^-1 dL). Tends to the identity with h.
  const Matrix3& turn() const { return turn_; }
  const Matrix3& inverse_inertia() const { return inverse_inertia_; }  ///< I^-1, world axes
  /// d w / d(rotation vector) at constant L [1/s].
  Matrix3 w_by_turn() const { return inverse_inertia_ * skew(state_.angular_momentum) - skew(w_); }
  /// State at the step's end, its quaternion normalised. @param dP, dL  changes of the momenta
  RigidState end(const Vector3& dP, const Vector3& dL) const;

 private:
  RigidState state_;
  double h_, mass_;
  Eigen::Matrix<double, 4, 3> K_Q_;
  Matrix3 turn_, inverse_inertia_;
  Vector3 v_, w_;
};

/// By the whole system of 13 equations.
/// @param h  step [s], > 0
/// @returns the state at the step's end, its quaternion normalised
RigidState full_momentum_step(const RigidProperties& body, const LinearWrench& wrench, double h,
                              const RigidState& state);
/// The same with position and orientation eliminated by hand: 6 equations for the change of both
/// momenta.
RigidState reduced_momentum_step(const RigidProperties& body, const LinearWrench& wrench, double h,
                                 const RigidState& state);

/// q' of a body with angular momentum L, order (w, x, y, z) [1/s]. The quaternion need not have
/// length 1: R(q) is the homogeneous quadratic form.
Eigen::Vector4d quaternion_rate(const RigidProperties& body, const Eigen::Vector4d& q,
                                const Vector3& angular_momentum);
/// Its derivative by q at a unit quaternion [1/s].
Eigen::Matrix4d quaternion_rate_derivative(const RigidProperties& body, const Eigen::Vector4d& q,
                                           const Vector3& angular_momentum);

/// A penalty contact with a fixed plane, summed over points: a spring and a damper of each point.
class PlaneContact {
 public:
  /// @param normal  of the plane, unit, away from it  @param height  along the normal [m]
  /// @param k       N/m per point  @param c  N s/m per point, in all directions
  PlaneContact(const Vector3& normal, double height, double k, double c)
      : normal_(normal), height_(height), k_(k), c_(c) {}
  /// @param points  3 x N, from the centre of mass, body axes [m]
  LinearWrench at(const RigidProperties& body, const Eigen::Matrix3Xd& points,
                  const RigidState& state) const;

 private:
  Vector3 normal_;
  double height_, k_, c_;
};

}  // namespace haptic
