#pragma once

#include <Eigen/Core>

#include "bench/multibody/rigid_motion.h"

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
