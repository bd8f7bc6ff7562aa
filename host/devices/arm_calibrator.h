#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rt/device/arm/arm_settings.h"
#include "rt/device/comedi/arm_board.h"

namespace haptic {

/// Homes an arm by hand with its motors off. First every axis is moved upwards once, to detect a
/// counter that runs backwards or belongs to another axis before the motors use it. Then the arm is
/// held in its calibration pose, where the counters are read.
class ArmCalibrator {
 public:
  struct Steps {
    /// Prints the next instruction to the operator, one line.
    std::function<void(const std::string&)> say;
    /// Whether the operator confirms that the arm is in its pose; polled.
    std::function<bool()> in_pose;
    /// Waits until the next reading, `period_s` after the last.
    std::function<void(double period_s)> wait;
  };
  struct Settings {
    bool check_directions = true;
    double timeout_s = 120.0;  ///< of each step
    double travel = 0.1;       ///< of an axis that was moved [rad], a tenth of it in m for slides
  };

  static constexpr double kPeriod = 0.01;  ///< between two readings [s]

  /// @returns the raw counters at the calibration pose
  /// @throws OperationError if the board does not answer, a step runs out of time, a counter runs
  ///         backwards or another one moves; the message names the axis and the setting to change
  static std::vector<std::uint32_t> run(const ArmSettings& arm, ArmBoard& board, const Steps& steps,
                                        const Settings& settings);
};

}  // namespace haptic
