#include "rt/device/simulated_device.h"

#include <fmt/format.h>

#include <utility>

#include "shared/error.h"

namespace haptic {

namespace {

void require(bool holds, const char* key, double found, const char* expected) {
  if (!holds) throw InputError("simulated device", key, fmt::format("found {}", found), expected);
}

}  // namespace

SimulatedDevice::SimulatedDevice(HandScript script, double rate_hz, const HandSettings& hand)
    : script_(std::move(script)), rate_hz_(rate_hz), dt_(1.0 / rate_hz), hand_(hand) {
  require(rate_hz > 0.0 && std::isfinite(rate_hz), "rate_hz", rate_hz, "a number > 0 [Hz]");
  require(hand.mass > 0.0 && std::isfinite(hand.mass), "mass", hand.mass, "a number > 0 [kg]");
  require(hand.stiffness >= 0.0 && std::isfinite(hand.stiffness), "stiffness", hand.stiffness,
          "a number >= 0 [N/m]");
  require(hand.damping >= 0.0 && std::isfinite(hand.damping), "damping", hand.damping,
          "a number >= 0 [N s/m]");
  capabilities_.name = "simulated";
  pose_ = script_.pose(0.0);
  twist_ = script_.twist(0.0);
}

DeviceStatus SimulatedDevice::sense(DeviceState& state) HAPTIC_REALTIME {
  const double time = static_cast<double>(exchanges_) / rate_hz_;
  if (hand_.kind == HandKind::kScripted) {
    pose_ = script_.pose(time);
    twist_ = script_.twist(time);
  } else if (exchanges_ > 0) {
    move_hand(time);
  }
  ++exchanges_;
  state.pose = pose_;
  state.twist = twist_;
  state.buttons = 0;
  state.homed = true;
  return is_finite(pose_) ? DeviceStatus::kOk : DeviceStatus::kBadValue;
}

DeviceStatus SimulatedDevice::actuate(const Wrench& wrench) HAPTIC_REALTIME {
  if (!is_finite(wrench)) {
    felt_ = Wrench{};
    return DeviceStatus::kBadValue;
  }
  felt_ = wrench;
  return DeviceStatus::kOk;
}

void SimulatedDevice::move_hand(double time) HAPTIC_REALTIME {
  const Pose goal = script_.pose(time);
  const Twist goal_twist = script_.twist(time);
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

}  // namespace haptic
