#pragma once

#include "rt/bodies/free_rotation.h"
#include "shared/artifact/model_file.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic {

/// Mass of a rigid body.
struct RigidMass {
  double mass = 0.0;                  ///< kg, > 0
  Vector3 centre = Vector3::Zero();   ///< centre of mass, model frame [m]
  Matrix3 inertia = Matrix3::Zero();  ///< about the centre of mass, model axes [kg m^2]
};

/// /rigid of a model file.
/// @throws InputError if it has none, or a mass or an inertia that no body can have
RigidMass read_rigid_mass(const ModelFile& model);

/// A free body under gravity: position, orientation and momenta, and its part of an implicit step.
/// Rigid, or with an inertia that changes with its deformation. Source: docs/methods/multibody.md,
/// "Free rigid bodies".
///
/// A step:  z = drift(), or the solution of prepare() together with other bodies;  complete(z).
/// z is the motion over the step: of the centre of mass [m], and the rotation vector [rad], world.
class FreeBody {
 public:
  /// @param pose      of the model frame at the start and after a reset
  /// @param velocity  of the centre of mass, likewise
  /// @param gravity   m/s^2, world axes
  /// @param dt        of a step [s], > 0
  FreeBody(const RigidMass& mass, const Pose& pose, const Twist& velocity, const Vector3& gravity,
           double dt);

  /// A z = b + contact wrench about the centre of mass at the step's end.
  struct StepSystem {
    Matrix6 matrix;  ///< symmetric, positive definite
    Vector6 load;    ///< N, N·m
  };
  /// Also computes drift().
  StepSystem prepare() HAPTIC_REALTIME;
  /// The motion without contact; of the last call of prepare().
  const Vector6& drift() const HAPTIC_REALTIME { return drift_; }
  /// Changes the momenta by those of an impulse within the step that follows. Call prepare() again.
  /// @param change  of the motion over a step, like z: that of the centre of mass [m], of the
  ///                rotation vector [rad]. @pre prepare() was called in this pose
  /// @param part    fraction of the step before the impulse, in which the body does not move so
  void strike(const Vector6& change, double part) HAPTIC_REALTIME;
  /// Makes the step. The angular momentum changes by dt times the torque A z - b and `torque`.
  /// @param torque  of the deformation, where it is coupled with the rotation [N m]
  /// @returns false, with the state unchanged, if the new state is not finite or the body turns by
  /// more than kMaxRotation in one step
  [[nodiscard]] bool complete(const Vector6& z,
                              const Vector3& torque = Vector3::Zero()) HAPTIC_REALTIME;
  static constexpr double kMaxRotation = 1.0;  ///< rad

  const Pose& pose() const HAPTIC_REALTIME { return pose_; }  ///< of the model frame
  /// Centre of mass, world [m].
  Vector3 centre() const HAPTIC_REALTIME { return pose_.to_world(mass_.centre); }
  /// Velocity of the model origin, and angular velocity.
  Twist twist() const HAPTIC_REALTIME;
  const RigidMass& mass() const HAPTIC_REALTIME { return mass_; }
  const Vector3& momentum() const HAPTIC_REALTIME { return momentum_; }  ///< kg m/s
  /// About the centre of mass [kg m^2/s].
  const Vector3& angular_momentum() const HAPTIC_REALTIME { return angular_momentum_; }
  /// Kinetic energy, without the part 1/2 |q'|^2 of a deformation, and potential energy of gravity,
  /// which is zero at the world's origin [J].
  double energy() const HAPTIC_REALTIME;

  /// Replaces the distribution of the mass for the steps that follow; position, orientation and
  /// momenta are unchanged. @param inertia  about the centre of mass, model axes [kg m^2]
  /// @param spin  angular momentum of the deformation, model axes [kg m^2/s]
  void deform(const Matrix3& inertia, const Vector3& spin) HAPTIC_REALTIME;
  /// Angular velocity, model axes [rad/s].
  Vector3 angular_velocity_in_body() const HAPTIC_REALTIME;

  /// Sets both momenta to zero; the pose is unchanged.
  void halt() HAPTIC_REALTIME;
  /// Sets the body to its initial pose and velocity, at rest shape.
  void reset() HAPTIC_REALTIME;

 private:
  Vector3 angular_velocity(const Quaternion& orientation) const HAPTIC_REALTIME;
  Vector3 free_turn() const HAPTIC_REALTIME;

  RigidMass mass_;  // of the rest shape
  // Of the current shape, model axes.
  Matrix3 inertia_, inverse_inertia_;
  FreeRotation rotation_;
  Vector3 spin_ = Vector3::Zero();
  Pose start_, pose_;
  Twist start_velocity_;
  Vector3 gravity_;
  double dt_;
  Vector3 momentum_, angular_momentum_;
  Matrix3 turning_;  // inertia in world axes over dt^2, of the last prepare()
  Vector6 drift_ = Vector6::Zero();
  Vector6 late_ = Vector6::Zero();  // what z is too long by, as its impulses came within the step
};

}  // namespace haptic
