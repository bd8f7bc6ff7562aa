#include "rt/bodies/free_body.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "shared/error.h"

namespace haptic {

RigidMass read_rigid_mass(const ModelFile& model) {
  const auto refuse = [&](const char* section, const std::string& found, const char* expected) {
    throw InputError(model.path().string(), section, found, expected);
  };
  if (!model.has("/rigid/mass")) {
    refuse("/rigid/mass", "found no mass", "a model of `haptic bake` for a free body");
  }
  RigidMass rigid;
  rigid.mass = model.doubles("/rigid/mass")[0];
  if (!(rigid.mass > 0.0 && std::isfinite(rigid.mass))) {
    refuse("/rigid/mass", fmt::format("found {} kg", rigid.mass), "a mass > 0");
  }
  const std::span<const double> centre = model.doubles("/rigid/centre");
  const std::span<const double> inertia = model.doubles("/rigid/inertia");
  rigid.centre = {centre[0], centre[1], centre[2]};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) rigid.inertia(i, j) = inertia[static_cast<std::size_t>(3 * i + j)];
  }
  if (!rigid.centre.allFinite()) refuse("/rigid/centre", "found a number that is not finite", "m");
  const double size = rigid.inertia.norm();
  const Matrix3 difference = rigid.inertia - rigid.inertia.transpose();
  const Matrix3& J = rigid.inertia;
  // No principal moment of inertia exceeds the sum of the other two. Equivalently, the matrix
  // trace(J) / 2 - J has no negative eigenvalue; it is singular for a flat body.
  const Matrix3 moments = 0.5 * J.trace() * Matrix3::Identity() - J;
  const auto principal = [](const Matrix3& m, double least) {
    return m(0, 0) >= least && m.topLeftCorner<2, 2>().determinant() >= least * std::abs(m(0, 0)) &&
           m.determinant() >= least * std::abs(m.topLeftCorner<2, 2>().determinant());
  };
  const double rounding = 1e-9 * size;
  if (!std::isfinite(size) || difference.norm() > rounding || !principal(J, 1e-12 * size) ||
      !(size > 0.0) || !principal(moments + rounding * Matrix3::Identity(), 0.0)) {
    refuse("/rigid/inertia",
           fmt::format("found diagonal {:g}, {:g}, {:g} kg m^2", J(0, 0), J(1, 1), J(2, 2)),
           "the inertia of a body: symmetric, positive, no moment above the sum of the others");
  }
  return rigid;
}

FreeBody::FreeBody(const RigidMass& mass, const Pose& pose, const Twist& velocity,
                   const Vector3& gravity, double dt)
    : mass_(mass),
      inertia_(mass.inertia),
      inverse_inertia_(mass.inertia.inverse()),
      rotation_(mass.inertia),
      start_(pose),
      start_velocity_(velocity),
      gravity_(gravity),
      dt_(dt) {
  reset();
}

void FreeBody::deform(const Matrix3& inertia, const Vector3& spin) HAPTIC_REALTIME {
  inertia_ = inertia;
  inverse_inertia_ = inertia.inverse();
  rotation_.set_inertia(inertia);
  spin_ = spin;
}

void FreeBody::reset() HAPTIC_REALTIME {
  deform(mass_.inertia, Vector3::Zero());
  pose_ = start_;
  const Matrix3 R = pose_.orientation.toRotationMatrix();
  momentum_ = mass_.mass * start_velocity_.linear;
  angular_momentum_ = R * (mass_.inertia * (R.transpose() * start_velocity_.angular));
  drift_.setZero();
  late_.setZero();
}

void FreeBody::halt() HAPTIC_REALTIME {
  momentum_.setZero();
  angular_momentum_.setZero();
  spin_.setZero();
}

Vector3 FreeBody::angular_velocity(const Quaternion& orientation) const HAPTIC_REALTIME {
  const Matrix3 R = orientation.toRotationMatrix();
  return R * (inverse_inertia_ * (R.transpose() * angular_momentum_ - spin_));
}

Vector3 FreeBody::angular_velocity_in_body() const HAPTIC_REALTIME {
  return inverse_inertia_ * (pose_.orientation.conjugate() * angular_momentum_ - spin_);
}

/// Rotation vector of a step without torque, world axes [rad].
Vector3 FreeBody::free_turn() const HAPTIC_REALTIME {
  const Vector3 turn = dt_ * angular_velocity(pose_.orientation);
  // The logarithm of a rotation is below pi; complete() refuses this one.
  if (!(turn.norm() <= 2.0 * kMaxRotation)) return turn;
  return pose_.orientation *
         rotation_logarithm(rotation_.turn(pose_.orientation.conjugate() * angular_momentum_,
                                           -(inverse_inertia_ * spin_), dt_));
}

FreeBody::StepSystem FreeBody::prepare() HAPTIC_REALTIME {
  const Vector3 turn = free_turn();
  drift_ << dt_ * (momentum_ / mass_.mass + dt_ * gravity_), turn;

  const Matrix3 R = pose_.orientation.toRotationMatrix();
  turning_ = R * inertia_ * R.transpose() / (dt_ * dt_);
  turning_ = (0.5 * (turning_ + turning_.transpose())).eval();
  StepSystem system;
  system.matrix.setZero();
  system.matrix.diagonal().head<3>().setConstant(mass_.mass / (dt_ * dt_));
  system.matrix.bottomRightCorner<3, 3>() = turning_;
  system.load.head<3>() = mass_.mass / (dt_ * dt_) * drift_.head<3>();
  system.load.tail<3>() = turning_ * turn;
  return system;
}

void FreeBody::strike(const Vector6& change, double part) HAPTIC_REALTIME {
  momentum_ += mass_.mass / dt_ * change.head<3>();
  angular_momentum_ += dt_ * (turning_ * change.tail<3>());
  late_ -= part * change;
}

bool FreeBody::complete(const Vector6& z, const Vector3& torque) HAPTIC_REALTIME {
  const Vector3 turn = z.tail<3>();
  const Vector3 centre = pose_.to_world(mass_.centre) + z.head<3>() + late_.head<3>();
  Pose next;
  next.orientation =
      (rotation_exponential(late_.tail<3>()) * rotation_exponential(turn) * pose_.orientation)
          .normalized();
  next.position = centre - next.orientation * mass_.centre;
  if (!is_finite(next) || !torque.allFinite() || !(turn.norm() <= kMaxRotation)) return false;
  momentum_ = mass_.mass / dt_ * z.head<3>();
  angular_momentum_ += dt_ * (turning_ * (turn - drift_.tail<3>()) + torque);
  pose_ = next;
  late_.setZero();
  return true;
}

Twist FreeBody::twist() const HAPTIC_REALTIME {
  const Vector3 angular = angular_velocity(pose_.orientation);
  const Vector3 arm = pose_.orientation * mass_.centre;
  return {momentum_ / mass_.mass - angular.cross(arm), angular};
}

double FreeBody::energy() const HAPTIC_REALTIME {
  const Vector3 w = angular_velocity_in_body();
  return 0.5 * momentum_.squaredNorm() / mass_.mass + w.dot(0.5 * (inertia_ * w) + spin_) -
         mass_.mass * gravity_.dot(centre());
}

}  // namespace haptic
