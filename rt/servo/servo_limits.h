#pragma once

#include <limits>

namespace haptic {

/// What the servo allows to reach a hand. Infinity: no limit.
struct ServoLimits {
  double force = 8.5;   ///< N, >= 0
  double torque = 0.5;  ///< N·m, >= 0
  double ramp_s = 0.5;  ///< from no to full force after engaging [s], >= 0
  double slew_N_per_s = std::numeric_limits<double>::infinity();      ///< of the force, > 0
  double speed = std::numeric_limits<double>::infinity();             ///< of the engaged hand [m/s]
  double workspace_radius = std::numeric_limits<double>::infinity();  ///< about the origin [m]
  double overload_s = 1.0;  ///< longest run of cycles that overran their period [s]
};

}  // namespace haptic
