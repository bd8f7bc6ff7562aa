#include "lab/multibody/rigid_motion.h"

#include <Eigen/LU>

namespace haptic {
namespace {

Vector3 angular_velocity_at(const RigidProperties& properties, const Quaternion& orientation,
                            const Vector3& angular_momentum) {
  const Vector3 in_body = orientation.conjugate() * angular_momentum;
  return orientation * Vector3(properties.inertia.inverse() * in_body);
}

}  // namespace

Vector3 angular_velocity(const RigidProperties& properties, const RigidState& state) {
  return angular_velocity_at(properties, state.orientation, state.angular_momentum);
}

double kinetic_energy(const RigidProperties& properties, const RigidState& state) {
  return 0.5 * state.momentum.squaredNorm() / properties.mass +
         0.5 * state.angular_momentum.dot(angular_velocity(properties, state));
}

void advance(const RigidProperties& properties, const Vector3& force, const Vector3& torque,
             double dt, RigidState& state) {
  state.momentum += dt * force;
  state.angular_momentum += dt * torque;
  state.centre += dt / properties.mass * state.momentum;
  // Implicit midpoint: four fixed-point rounds leave an error of order (w dt)^5.
  Vector3 rate = angular_velocity(properties, state);
  for (int round = 0; round < 4; ++round) {
    const Quaternion middle = rotation_exponential(0.5 * dt * rate) * state.orientation;
    rate = angular_velocity_at(properties, middle, state.angular_momentum);
  }
  state.orientation = (rotation_exponential(dt * rate) * state.orientation).normalized();
}

}  // namespace haptic
