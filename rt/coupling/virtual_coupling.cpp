#include "rt/coupling/virtual_coupling.h"

#include <cmath>
#include <string>

#include "rt/coupling/equilibrium_step.h"
#include "shared/error.h"

namespace haptic {

namespace {

// False for NaN; true for infinity.
bool positive(double value) HAPTIC_REALTIME {
  return value > 0.0;
}
bool finite_positive(double value) HAPTIC_REALTIME {
  return value > 0.0 && std::isfinite(value);
}

// Name of the first setting out of range, nullptr if all are valid.
const char* bad_setting(const CouplingSettings& s) HAPTIC_REALTIME {
  if (!finite_positive(s.force.stiffness)) return "coupling.stiffness";
  if (!finite_positive(s.torque.stiffness)) return "coupling.rotational_stiffness";
  if (!positive(s.force.maximum)) return "coupling.permitted_depth";
  if (!positive(s.torque.maximum)) return "coupling.permitted_depth";
  if (!(s.static_damping >= 0.0 && s.static_damping < 1.0)) return "coupling.static_damping";
  if (!positive(s.max_step)) return "coupling.max_speed";
  if (!positive(s.max_rotation)) return "coupling.max_angular_speed";
  if (!finite_positive(s.bounding_radius)) return "bounding radius of the held body";
  return nullptr;
}

}  // namespace

VirtualCoupling::VirtualCoupling(const CouplingSettings& settings) : settings_(settings) {
  if (const char* key = bad_setting(settings)) {
    throw InputError("virtual coupling", key, "value out of range",
                     "finite numbers > 0, static_damping in [0, 1)");
  }
}

bool VirtualCoupling::set_settings(const CouplingSettings& settings) HAPTIC_REALTIME {
  if (bad_setting(settings) != nullptr) return false;
  settings_ = settings;
  return true;
}

CouplingLoad VirtualCoupling::simulated(const Pose& manipulandum,
                                        const Pose& held) const HAPTIC_REALTIME {
  const Vector3 gap = manipulandum.position - held.position;
  const Quaternion& q_m = manipulandum.orientation;
  const Quaternion& q_s = held.orientation;
  CouplingLoad load;
  load.wrench.force = coupling_force(gap, settings_.force);
  load.wrench.torque = coupling_torque(q_m, q_s, settings_.torque);
  load.gradient.setZero();
  if (settings_.gradient == SaturationGradient::kSecant) {
    load.gradient.topLeftCorner<3, 3>() = coupling_force_secant(gap, settings_.force);
    load.gradient.bottomRightCorner<3, 3>() = coupling_torque_secant(q_m, q_s, settings_.torque);
  } else {
    load.gradient.topLeftCorner<3, 3>() = coupling_force_gradient(gap, settings_.force);
    load.gradient.bottomRightCorner<3, 3>() = coupling_torque_gradient(q_m, q_s, settings_.torque);
  }
  return load;
}

CouplingStatus VirtualCoupling::advance(const Pose& manipulandum, const CouplingLoad& coupling,
                                        const Wrench& contact, const Matrix6& contact_gradient,
                                        Pose& held, double shortened) const HAPTIC_REALTIME {
  Vector6 wrench;
  wrench << coupling.wrench.force + contact.force, coupling.wrench.torque + contact.torque;
  Vector6 toward_manipulandum;
  toward_manipulandum << manipulandum.position - held.position,
      rotation_logarithm(manipulandum.orientation * held.orientation.conjugate());
  const Matrix6 gradient = coupling.gradient + contact_gradient;
  if (!wrench.allFinite() || !gradient.allFinite() || !toward_manipulandum.allFinite()) {
    return CouplingStatus::kNotFinite;
  }

  const Vector6 step =
      shortened * (1.0 - settings_.static_damping) *
      equilibrium_step(gradient, wrench, toward_manipulandum, settings_.bounding_radius).step;
  if (!step.allFinite()) return CouplingStatus::kNotFinite;

  held.position += limited(step.head<3>(), settings_.max_step);
  held.orientation =
      (rotation_exponential(limited(step.tail<3>(), settings_.max_rotation)) * held.orientation)
          .normalized();
  return CouplingStatus::kOk;
}

}  // namespace haptic
