#pragma once

#include "rt/device/device.h"

namespace haptic {

/// Three motors, and every limit that a manifest has.
inline DeviceCapabilities limited_arm() {
  DeviceCapabilities device{.name = "arm"};
  device.sensed_freedoms = device.actuated_freedoms = 3;
  device.max_force = 5.0;
  device.max_torque = 0.4;
  device.max_stiffness = 800.0;
  device.limits = {.speed = 2.0,
                   .angular_speed = 20.0,
                   .reach = 0.2,
                   .slew_N_per_s = 4000.0,
                   .torque_slew_Nm_per_s = 100.0,
                   .power = 3.0,
                   .impulse = 9.0,
                   .impulse_window_s = 2.0};
  return device;
}

}  // namespace haptic
