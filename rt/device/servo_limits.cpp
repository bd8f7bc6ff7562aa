#include "rt/device/servo_limits.h"

#include <algorithm>

namespace haptic {
namespace {

constexpr double kRatedRate_hz = 1000.0;
constexpr double kHandleSize = 0.05;  // m

}  // namespace

ServoLimits lowered_to(ServoLimits limits, const DeviceCapabilities& device) {
  for (const ServoLimitRow& parameter : kServoParameters) {
    double& value = limits.*parameter.value;
    value = std::min(value, parameter.ceiling(device));
  }
  // A longer window with the same impulse is stricter.
  if (device.limits.impulse < ServoLimits::kNone) {
    limits.impulse_window_s = std::max(limits.impulse_window_s, device.limits.impulse_window_s);
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
