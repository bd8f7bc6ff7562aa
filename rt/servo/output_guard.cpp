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

}  // namespace

FaultKind OutputGuard::check_hand(const DeviceState& hand) const HAPTIC_REALTIME {
  if (!(hand.twist.linear.norm() <= limits_.speed)) return FaultKind::kSpeedLimit;
  if (!(hand.pose.position.norm() <= limits_.workspace_radius)) return FaultKind::kWorkspaceLimit;
  return FaultKind::kNone;
}

OutputGuard::Result OutputGuard::shape(const Wrench& wanted, double ramp,
                                       const Wrench& added) HAPTIC_REALTIME {
  Result result;
  // Before the product: 0 times infinity must not pass as a zero.
  if (!is_finite(wanted) || !is_finite(added) || !(ramp >= 0.0 && ramp <= 1.0)) {
    result.wrench = zero();
    result.fault = FaultKind::kWrenchNotFinite;
    return result;
  }
  Vector3 force = ramp * wanted.force + added.force;
  Vector3 torque = ramp * wanted.torque + added.torque;
  if (ramp < 1.0) result.limited |= kLimitedRamp;
  if (clamp_norm(force, limits_.force)) result.limited |= kLimitedForce;
  if (clamp_norm(torque, limits_.torque)) result.limited |= kLimitedTorque;
  Vector3 change = force - last_force_;
  if (clamp_norm(change, limits_.slew_N_per_s * dt_)) {
    force = last_force_ + change;
    result.limited |= kLimitedSlew;
    clamp_norm(force, limits_.force);  // an operator may have lowered the limit meanwhile
  }
  if (!(force.norm() <= limits_.force * kRounding && torque.norm() <= limits_.torque * kRounding)) {
    result.wrench = zero();
    result.fault = FaultKind::kWrenchNotFinite;
    return result;
  }
  last_force_ = force;
  result.wrench = {force, torque};
  return result;
}

Wrench OutputGuard::zero() HAPTIC_REALTIME {
  last_force_.setZero();
  return {};
}

}  // namespace haptic
