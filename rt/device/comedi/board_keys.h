#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "rt/device/arm/arm_settings.h"
#include "rt/device/comedi/board_settings.h"
#include "shared/config/key_schema.h"

namespace haptic {

/// A board while it is read.
struct ReadBoard : BoardSettings {
  std::size_t axes = 0, motors = 0;  ///< counters and outputs that the arm needs; 0: any number
  /// What an output has unless it is told otherwise, with all volts of its range.
  BoardAnalogOutput common{.max_volts = std::numeric_limits<double>::infinity()};
  std::vector<unsigned> channels;  ///< of outputs that have nothing of their own
};

/// The table [board] of a manifest of kind "comedi-arm".
const KeySchema<ReadBoard>& board_keys();

/// Its key enable_button, which is to be compared with the buttons of the board.
const KeySchema<ArmSettings>& enable_button_keys();

/// Descriptions of both.
std::span<const KeyGroup> board_groups();

}  // namespace haptic
