#include "rt/coupling/dynamic_coupling.h"

#include <Eigen/LU>
#include <cmath>

#include "shared/error.h"

namespace haptic {

DynamicCoupling::DynamicCoupling(const DynamicSettings& settings, double dt)
    : settings_(settings), dt_(dt) {
  const auto require = [](bool valid, const char* key, const char* expected) {
    if (!valid) throw InputError("dynamic coupling", key, "value out of range", expected);
  };
  require(settings.mass > 0.0 && std::isfinite(settings.mass), "coupling.mass",
          "a number > 0 [kg]");
  require(settings.inertia > 0.0 && std::isfinite(settings.inertia), "coupling.inertia",
          "a number > 0 [kg m^2]");
  require(settings.damping_ratio >= 0.0 && std::isfinite(settings.damping_ratio),
          "coupling.damping_ratio", "a number >= 0");
  require(dt > 0.0 && std::isfinite(dt), "time step", "a number > 0 [s]");
}

double DynamicCoupling::damping(const CouplingSettings& coupling) const HAPTIC_REALTIME {
  return 2.0 * settings_.damping_ratio * std::sqrt(coupling.force.stiffness * settings_.mass);
}

double DynamicCoupling::rotational_damping(const CouplingSettings& coupling) const HAPTIC_REALTIME {
  return 2.0 * settings_.damping_ratio *
         std::sqrt(0.5 * coupling.torque.stiffness * settings_.inertia);
}

CouplingStatus DynamicCoupling::advance(const CouplingSettings& coupling,
                                        const Twist& manipulandum_twist, const CouplingLoad& load,
                                        const Wrench& contact, const Matrix6& contact_gradient,
                                        const Matrix6& contact_damping, Pose& held,
                                        Twist& twist) const HAPTIC_REALTIME {
  const double h = dt_;
  Vector6 mass, damper, v0, vm, wrench;
  mass << Vector3::Constant(settings_.mass), Vector3::Constant(settings_.inertia);
  damper << Vector3::Constant(damping(coupling)), Vector3::Constant(rotational_damping(coupling));
  v0 << twist.linear, twist.angular;
  vm << manipulandum_twist.linear, manipulandum_twist.angular;
  wrench << load.wrench.force + contact.force, load.wrench.torque + contact.torque;

  // d(wrench)/d(twist) of contact is that of a damper, hence negative: it is subtracted on the
  // left-hand side.
  Matrix6 system = -h * h * (load.gradient + contact_gradient) - h * contact_damping;
  system.diagonal() += mass + h * damper;
  // The contact wrench includes its damper at v0; only the change of velocity is added.
  const Vector6 right =
      mass.cwiseProduct(v0) + h * (wrench + damper.cwiseProduct(vm) - contact_damping * v0);
  if (!system.allFinite() || !right.allFinite()) return CouplingStatus::kNotFinite;
  const Vector6 v1 = Eigen::PartialPivLU<Matrix6>(system).solve(right);
  if (!v1.allFinite()) return CouplingStatus::kNotFinite;

  const Vector3 moved = limited(h * v1.head<3>(), coupling.max_step);
  const Vector3 turned = limited(h * v1.tail<3>(), coupling.max_rotation);
  held.position += moved;
  held.orientation = (rotation_exponential(turned) * held.orientation).normalized();
  twist = {moved / h, turned / h};  // motion cut by a limit is not made up later
  return CouplingStatus::kOk;
}

}  // namespace haptic
