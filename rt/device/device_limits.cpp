#include "rt/device/device_limits.h"

namespace haptic {

DeviceLimits read_device_limits(const TomlTable& limits, LimitsNeeded needed) {
  const auto read = [&](const char* key, const char* unit, bool must) {
    const NumberRange range = NumberRange::positive(unit);
    return must ? limits.number(key, range) : limits.number(key, range, DeviceLimits::kNone);
  };
  const bool force = needed != LimitsNeeded::kNone;
  const bool torque = needed == LimitsNeeded::kForceTorque;
  DeviceLimits l;
  l.speed = read("speed", "m/s", force);
  l.angular_speed = read("angular_speed", "rad/s", torque);
  l.reach = read("reach", "m", force);
  l.slew_N_per_s = read("slew_N_per_s", "N/s", force);
  l.torque_slew_Nm_per_s = read("torque_slew_Nm_per_s", "N·m/s", torque);
  l.power = read("power", "W", force);
  l.impulse = read("impulse", "N·s", force);
  l.impulse_window_s =
      limits.number("impulse_window_s", NumberRange::between(0.01, 60.0, "s"), l.impulse_window_s);
  return l;
}

}  // namespace haptic
