#include "rt/servo/servo_limits.h"

#include <algorithm>

#include "rt/servo/parameter_table.h"

namespace haptic {
namespace {

constexpr double kRatedRate_hz = 1000.0;
constexpr double kHandleSize = 0.05;  // m

}  // namespace

ServoLimits ceiling_of(const DeviceCapabilities& device) {
  ServoLimits ceiling;
  ceiling.force = device.max_force;
  ceiling.torque = device.actuated_freedoms >= 6 ? device.max_torque : 0.0;
  ceiling.ramp_s = ServoLimits::kNone;
  ceiling.slew_N_per_s = device.limits.slew_N_per_s;
  ceiling.torque_slew_Nm_per_s = device.limits.torque_slew_Nm_per_s;
  ceiling.power = device.limits.power;
  ceiling.impulse = device.limits.impulse;
  ceiling.impulse_window_s = device.limits.impulse_window_s;
  ceiling.speed = device.limits.speed;
  ceiling.angular_speed = device.limits.angular_speed;
  ceiling.workspace_radius = device.limits.reach;
  return ceiling;
}

ServoLimits lowered_to(ServoLimits limits, const DeviceCapabilities& device) {
  const ServoLimits ceiling = ceiling_of(device);
  for (const ServoParameterRange& parameter : kServoParameters) {
    double& value = limits.*parameter.value;
    value = std::min(value, ceiling.*parameter.value);
  }
  // A longer window with the same impulse is stricter.
  if (ceiling.impulse < ServoLimits::kNone) {
    limits.impulse_window_s = std::max(limits.impulse_window_s, ceiling.impulse_window_s);
  }
  if (device.enable_button >= 0) limits.enable_buttons |= 1u << device.enable_button;
  return limits;
}

RenderableStiffness renderable_stiffness(const DeviceCapabilities& device, double rate_hz) {
  const double linear = device.max_stiffness * rate_hz / kRatedRate_hz;
  return {linear,
          device.actuated_freedoms >= 6 ? kHandleSize * kHandleSize * linear : ServoLimits::kNone};
}

}  // namespace haptic
