#include "rt/device/simulated_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "shared/error.h"

namespace haptic {

namespace {

constexpr double kMaxDelay = 1.0;  // s

void require(bool valid, const char* key, double found, const char* expected) {
  if (!valid) throw InputError("simulated device", key, fmt::format("found {}", found), expected);
}

}  // namespace

SimulatedDevice::SimulatedDevice(HandScript script, double rate_hz, const HandSettings& hand,
                                 const EncoderSettings& encoder, const SimulatedHardware& hardware)
    : goal_(std::move(script), rate_hz, hand.kind == HandKind::kSteered),
      rate_hz_(rate_hz),
      dt_(1.0 / rate_hz),
      hand_(hand),
      encoder_(encoder),
      amplifier_(hardware.amplifier),
      faults_(hardware.faults, rate_hz),
      watch_(std::array{hardware.watch, hardware.watch, hardware.watch}, "simulated device") {
  require(rate_hz > 0.0 && std::isfinite(rate_hz), "rate_hz", rate_hz, "a number > 0 [Hz]");
  require(hand.mass > 0.0 && std::isfinite(hand.mass), "mass", hand.mass, "a number > 0 [kg]");
  require(hand.stiffness >= 0.0 && std::isfinite(hand.stiffness), "stiffness", hand.stiffness,
          "a number >= 0 [N/m]");
  require(hand.damping >= 0.0 && std::isfinite(hand.damping), "damping", hand.damping,
          "a number >= 0 [N s/m]");
  require(hand.push.allFinite(), "push", hand.push.norm(), "numbers [N]");
  require(encoder.step >= 0.0 && std::isfinite(encoder.step), "encoder_step", encoder.step,
          "a number >= 0 [m]");
  require(encoder.angle >= 0.0 && std::isfinite(encoder.angle), "encoder_angle", encoder.angle,
          "a number >= 0 [rad]");
  require(amplifier_.saturation > 0.0, "saturation", amplifier_.saturation, "a number > 0 [N]");
  require(amplifier_.delay_s >= 0.0 && amplifier_.delay_s <= kMaxDelay, "delay", amplifier_.delay_s,
          "a number from 0 to 1 [s]");
  delayed_.resize(static_cast<std::size_t>(std::llround(amplifier_.delay_s * rate_hz)));
  capabilities_.name = "simulated";
  capabilities_.has_motors = false;
  capabilities_.enable_button = hardware.enable_button;
  capabilities_.needs_homing =
      std::any_of(hardware.faults.begin(), hardware.faults.end(),
                  [](const DeviceFault& fault) { return fault.kind == DeviceFaultKind::kUnhomed; });
  if (hand.kind == HandKind::kSteered) {
    const double reach = capabilities_.workspace_radius;
    for (const char* const name : {"hand.x", "hand.y", "hand.z"}) {
      capabilities_.parameters.push_back({name, -reach, reach});
    }
    for (const char* const name : {"hand.rx", "hand.ry", "hand.rz"}) {
      capabilities_.parameters.push_back({name, -std::numbers::pi, std::numbers::pi});
    }
  }
  pose_ = goal_.pose();
  twist_ = goal_.twist();
}

DeviceStatus SimulatedDevice::sense(DeviceState& state) HAPTIC_REALTIME {
  goal_.advance(exchanges_);
  faults_.advance(exchanges_);
  if (hand_.kind == HandKind::kScripted) {
    pose_ = goal_.pose();
    twist_ = goal_.twist();
  } else if (exchanges_ > 0 && hand_.kind == HandKind::kFree) {
    move_free();
  } else if (exchanges_ > 0) {
    move_hand();
  }
  state = DeviceState{};
  state.pose = pose_;
  state.twist = twist_;
  if (encoder_.step > 0.0 || encoder_.angle > 0.0) read_encoders(state);
  const DeviceStatus status = falsify(state);
  ++exchanges_;
  told_ = state;
  if (status != DeviceStatus::kOk) return status;
  return is_finite(pose_) ? DeviceStatus::kOk : DeviceStatus::kBadValue;
}

DeviceStatus SimulatedDevice::falsify(DeviceState& state) HAPTIC_REALTIME {
  const DeviceFault* late = faults_.active(DeviceFaultKind::kLate);
  if (late != nullptr && clock_ != nullptr) {
    clock_->sleep_until(clock_->now_ns() + static_cast<std::int64_t>(late->size * 1e9));
  }
  const DeviceFault* old = faults_.active(DeviceFaultKind::kOld);
  if (old != nullptr && clock_ != nullptr) {
    state.taken_ns = clock_->now_ns() - static_cast<std::int64_t>(old->size * 1e9);
  }
  state.emergency_stop = faults_.active(DeviceFaultKind::kStop) != nullptr;
  state.stop_channels_disagree = faults_.active(DeviceFaultKind::kDiscrepancy) != nullptr;
  state.buttons = goal_.buttons();
  if (capabilities_.enable_button >= 0) {
    const std::uint32_t enable = 1U << capabilities_.enable_button;
    const bool released = faults_.active(DeviceFaultKind::kButton) != nullptr;
    state.buttons = released ? state.buttons & ~enable : state.buttons | enable;
  }
  if (faults_.active(DeviceFaultKind::kDisconnect) != nullptr) {
    felt_ = Wrench{};
    return DeviceStatus::kDisconnected;
  }
  const DeviceFault* jump = faults_.active(DeviceFaultKind::kJump);
  if (jump != nullptr) state.pose.position.x() += jump->size;
  if (faults_.active(DeviceFaultKind::kStuck) != nullptr && exchanges_ > 0) {
    state.pose = told_.pose;
    state.twist = Twist{};
  }
  state.homed = faults_.active(DeviceFaultKind::kUnhomed) == nullptr;
  if (faults_.active(DeviceFaultKind::kNan) != nullptr) {
    state.pose.position.y() = std::numeric_limits<double>::quiet_NaN();
    return DeviceStatus::kOk;  // as a driver that does not check it
  }
  if (!state.pose.position.allFinite()) return DeviceStatus::kOk;  // stuck there
  return watch_.check({state.pose.position.data(), 3}, {felt_.force.data(), 3}, dt_);
}

void SimulatedDevice::set_enabled(bool enabled) HAPTIC_REALTIME {
  if (!reaches_motors()) return;
  enabled_ = enabled;
  if (enabled) return;
  // The enable line acts on the power stage directly, so converter and transport neither delay nor
  // refuse it.
  felt_ = Wrench{};
  std::fill(delayed_.begin(), delayed_.end(), Wrench{});
}

DeviceStatus SimulatedDevice::actuate(const Wrench& wrench) HAPTIC_REALTIME {
  if (!is_finite(wrench)) {
    felt_ = Wrench{};
    return DeviceStatus::kBadValue;
  }
  if (!reaches_motors()) return DeviceStatus::kOk;  // as a driver whose own thread hangs
  if (faults_.active(DeviceFaultKind::kDisconnect) != nullptr ||
      faults_.active(DeviceFaultKind::kEio) != nullptr) {
    return DeviceStatus::kDisconnected;  // what was written last keeps acting
  }
  if (faults_.active(DeviceFaultKind::kHot) != nullptr) {
    felt_ = Wrench{};
    return DeviceStatus::kOverheated;
  }
  const Wrench out = amplified(wrench);
  if (enabled_) felt_ = out;
  return DeviceStatus::kOk;
}

Wrench SimulatedDevice::amplified(const Wrench& wrench) HAPTIC_REALTIME {
  Wrench out = wrench;
  if (!delayed_.empty()) {
    std::swap(out, delayed_[oldest_]);
    oldest_ = (oldest_ + 1) % delayed_.size();
  }
  const double most = amplifier_.saturation;
  const double turn = most * kHandGyrationRadius;
  for (int i = 0; i < 3; ++i) {
    out.force[i] = std::clamp(out.force[i], -most, most);
    out.torque[i] = std::clamp(out.torque[i], -turn, turn);
  }
  return out;
}

void SimulatedDevice::move_hand() HAPTIC_REALTIME {
  const Pose& goal = goal_.pose();
  const Twist& goal_twist = goal_.twist();
  const double k = hand_.stiffness / hand_.mass;  // 1/s²
  const double c = hand_.damping / hand_.mass;    // 1/s
  const double implicit = 1.0 + dt_ * c + dt_ * dt_ * k;
  constexpr double kGyrationSquared = kHandGyrationRadius * kHandGyrationRadius;

  const Vector3 pull = k * (goal.position - pose_.position) + c * goal_twist.linear;
  twist_.linear = (twist_.linear + dt_ * (pull + felt_.force / hand_.mass)) / implicit;
  pose_.position += dt_ * twist_.linear;

  const Vector3 turn = k * rotation_logarithm(goal.orientation * pose_.orientation.conjugate()) +
                       c * goal_twist.angular;
  twist_.angular =
      (twist_.angular + dt_ * (turn + felt_.torque / (hand_.mass * kGyrationSquared))) / implicit;
  pose_.orientation = (rotation_exponential(dt_ * twist_.angular) * pose_.orientation).normalized();
}

void SimulatedDevice::move_free() HAPTIC_REALTIME {
  constexpr double kGyrationSquared = kHandGyrationRadius * kHandGyrationRadius;
  const double c = hand_.damping / hand_.mass;  // 1/s, of both motions
  const double cdt = c * dt_;
  // Factor of a speed after the step, and the distances per initial speed and per acceleration;
  // series where the difference would cancel.
  const double decay = std::exp(-cdt);
  const double reach = cdt > 1e-6 ? -std::expm1(-cdt) / c : dt_ * (1.0 - 0.5 * cdt);
  const double way = cdt > 1e-3 ? (dt_ - reach) / c : dt_ * dt_ * (0.5 - cdt / 6.0);

  const Vector3 a = (felt_.force + hand_.push) / hand_.mass;
  pose_.position += reach * twist_.linear + way * a;
  twist_.linear = decay * twist_.linear + reach * a;

  const Vector3 turn = felt_.torque / (hand_.mass * kGyrationSquared);
  const Vector3 turned = reach * twist_.angular + way * turn;
  twist_.angular = decay * twist_.angular + reach * turn;
  pose_.orientation = (rotation_exponential(turned) * pose_.orientation).normalized();
}

void SimulatedDevice::read_encoders(DeviceState& state) HAPTIC_REALTIME {
  const auto counted = [](const Vector3& v, double step) HAPTIC_REALTIME {
    return step > 0.0 ? Vector3(step * (v / step).array().round().matrix()) : v;
  };
  state.pose.position = counted(pose_.position, encoder_.step);
  state.pose.orientation =
      rotation_exponential(counted(rotation_logarithm(pose_.orientation), encoder_.angle));
  const Pose before = exchanges_ > 0 ? read_ : state.pose;
  state.twist.linear = rate_hz_ * (state.pose.position - before.position);
  state.twist.angular =
      rate_hz_ * rotation_logarithm(state.pose.orientation * before.orientation.conjugate());
  read_ = state.pose;
}

}  // namespace haptic
