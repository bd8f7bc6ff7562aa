#include "rt/servo/output_guard.h"

#include <algorithm>

#include "shared/ipc/telemetry_layout.h"

namespace haptic {
namespace {

// Tolerance for rounding of norm and division.
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

// Scales force and torque by one factor, so that the direction of the wrench is kept. @returns
// whether the power was cut
bool OutputGuard::cut_power(Vector3& force, Vector3& torque, const Twist& twist,
                            double most) const HAPTIC_REALTIME {
  const double power = force.dot(twist.linear) + torque.dot(twist.angular);
  if (power <= most) return false;
  force *= most / power;
  torque *= most / power;
  return true;
}

OutputGuard::Result OutputGuard::shape(const Wrench& wanted, double ramp, const Wrench& added,
                                       const Twist& twist, const Step& step) HAPTIC_REALTIME {
  // Before the product: 0 times infinity must not pass as a zero.
  if (!is_finite(wanted) || !is_finite(added) || !(ramp >= 0.0 && ramp <= 1.0)) {
    return refuse(FaultKind::kWrenchNotFinite);
  }
  const double elapsed = std::max(step.elapsed_s, dt_);
  impulse_.add(last_force_.norm() * elapsed, elapsed);
  if (impulse_.sum() > limits_.impulse) return refuse(FaultKind::kImpulseLimit);
  force_now_ = std::max(limits_.force, force_now_ - limits_.slew_N_per_s * dt_);
  torque_now_ = std::max(limits_.torque, torque_now_ - limits_.torque_slew_Nm_per_s * dt_);

  Result result;
  Vector3 force = ramp * wanted.force + added.force;
  Vector3 torque = ramp * wanted.torque + added.torque;
  if (ramp < 1.0) result.limited |= kLimitedRamp;
  if (clamp_norm(force, force_now_)) result.limited |= kLimitedForce;
  // A device without torque limits none.
  if (clamp_norm(torque, torque_now_) && torque_now_ > 0.0) result.limited |= kLimitedTorque;
  if (clamp_change(force, last_force_, limits_.slew_N_per_s * dt_)) {
    result.limited |= kLimitedSlew;
    clamp_norm(force, force_now_);
  }
  if (clamp_change(torque, last_torque_, limits_.torque_slew_Nm_per_s * dt_)) {
    result.limited |= kLimitedSlew;
    clamp_norm(torque, torque_now_);
  }
  if (cut_power(force, torque, twist, step.most_power)) result.limited |= kLimitedPower;
  if (cut_power(force, torque, twist, limits_.power)) {
    result.limited |= kLimitedPower;
    power_cut_s_ += elapsed;
    if (power_cut_s_ > limits_.power_s) return refuse(FaultKind::kPowerLimit);
  } else {
    power_cut_s_ = 0.0;
  }
  if (!(force.norm() <= force_now_ * kRounding && torque.norm() <= torque_now_ * kRounding)) {
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
  force_now_ = limits_.force;
  torque_now_ = limits_.torque;
  impulse_.clear();
  return {};
}

}  // namespace haptic
