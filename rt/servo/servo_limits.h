#pragma once

#include <cstdint>
#include <limits>

namespace haptic {

/// What the servo allows to reach a hand. Infinity: no limit.
struct ServoLimits {
  double force = 8.5;   ///< N, >= 0
  double torque = 0.5;  ///< N·m, >= 0
  double ramp_s = 0.5;  ///< from no to full force after engaging [s], >= 0
  double slew_N_per_s = std::numeric_limits<double>::infinity();          ///< of the force, > 0
  double torque_slew_Nm_per_s = std::numeric_limits<double>::infinity();  ///< > 0
  double power = std::numeric_limits<double>::infinity();  ///< into the hand [W], >= 0
  double power_s = 0.1;  ///< longest run of cycles that the power limit cut [s], >= 0
  double speed = std::numeric_limits<double>::infinity();          ///< of the engaged hand [m/s]
  double angular_speed = std::numeric_limits<double>::infinity();  ///< of the engaged hand [rad/s]
  double workspace_radius = std::numeric_limits<double>::infinity();  ///< about the origin [m]
  double overload_s = 1.0;  ///< longest run of cycles that overran their period [s]
  double stale_s = std::numeric_limits<double>::infinity();  ///< longest life of an output [s], > 0
  std::uint32_t stop_buttons = 0;  ///< bits of the device's buttons that are an emergency stop
};

}  // namespace haptic
