#include "rt/servo/output_guard.h"

#include "shared/ipc/telemetry_layout.h"

namespace haptic {
namespace {

// Rounding of norm and division; a wrench further out was never limited.
constexpr double kRounding = 1.0 + 1e-12;

bool clamp_norm(Vector3& v, double limit) HAPTIC_REALTIME {
  const double norm = v.norm();
  if (norm <= limit) return false;
  v *= limit / norm;
  return true;
}

// Moves `v` no further than `step` from `last`.
bool clamp_change(Vector3& v, const Vector3& last, double step) HAPTIC_REALTIME {
  Vector3 change = v - last;
  if (!clamp_norm(change, step)) return false;
  v = last + change;
  return true;
}

}  // namespace

FaultKind OutputGuard::check_hand(const DeviceState& hand) const HAPTIC_REALTIME {
  if (!(hand.twist.linear.norm() <= limits_.speed)) return FaultKind::kSpeedLimit;
  if (!(hand.twist.angular.norm() <= limits_.angular_speed)) return FaultKind::kSpeedLimit;
  if (!(hand.pose.position.norm() <= limits_.workspace_radius)) return FaultKind::kWorkspaceLimit;
  return FaultKind::kNone;
}

OutputGuard::Result OutputGuard::shape(const Wrench& wanted, double ramp, const Wrench& added,
                                       const Twist& twist) HAPTIC_REALTIME {
  // Before the product: 0 times infinity must not pass as a zero.
  if (!is_finite(wanted) || !is_finite(added) || !(ramp >= 0.0 && ramp <= 1.0)) {
    return refuse(FaultKind::kWrenchNotFinite);
  }
  Result result;
  Vector3 force = ramp * wanted.force + added.force;
  Vector3 torque = ramp * wanted.torque + added.torque;
  if (ramp < 1.0) result.limited |= kLimitedRamp;
  if (clamp_norm(force, limits_.force)) result.limited |= kLimitedForce;
  if (clamp_norm(torque, limits_.torque)) result.limited |= kLimitedTorque;
  if (clamp_change(force, last_force_, limits_.slew_N_per_s * dt_)) {
    result.limited |= kLimitedSlew;
    clamp_norm(force, limits_.force);  // an operator may have lowered the limit meanwhile
  }
  if (clamp_change(torque, last_torque_, limits_.torque_slew_Nm_per_s * dt_)) {
    result.limited |= kLimitedSlew;
    clamp_norm(torque, limits_.torque);
  }
  const double power = force.dot(twist.linear) + torque.dot(twist.angular);
  if (!(power <= limits_.power)) {  // not a number: two overflows met
    force *= limits_.power / power;
    torque *= limits_.power / power;
    result.limited |= kLimitedPower;
    power_cut_s_ += dt_;
    if (power_cut_s_ > limits_.power_s) return refuse(FaultKind::kPowerLimit);
  } else {
    power_cut_s_ = 0.0;
  }
  if (!(force.norm() <= limits_.force * kRounding && torque.norm() <= limits_.torque * kRounding)) {
    return refuse(FaultKind::kWrenchNotFinite);
  }
  last_force_ = force;
  last_torque_ = torque;
  result.wrench = {force, torque};
  return result;
}

OutputGuard::Result OutputGuard::refuse(FaultKind fault) HAPTIC_REALTIME {
  Result result;
  result.wrench = zero();
  result.fault = fault;
  return result;
}

Wrench OutputGuard::zero() HAPTIC_REALTIME {
  last_force_.setZero();
  last_torque_.setZero();
  power_cut_s_ = 0.0;
  return {};
}

}  // namespace haptic
