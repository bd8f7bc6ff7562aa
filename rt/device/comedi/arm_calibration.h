#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "rt/device/arm/arm_settings.h"
#include "rt/device/comedi/arm_board.h"
#include "rt/device/comedi/board_settings.h"

namespace haptic {

/// Counter readings of an arm in its calibration pose, as `haptic calibrate` recorded them.
/// Counters keep counting while no daemon runs, but not across a restart of the machine. So the
/// file names the boot, and a file of an earlier boot is refused.
struct ArmCalibration {
  std::string device;         ///< the manifest's name
  std::string written;        ///< when, for people
  std::string boot_id;        ///< of the kernel
  std::string driver, board;  ///< of the board
  std::string file;           ///< its node
  unsigned counter_bits = 24;
  std::vector<unsigned> counters;     ///< channel per axis
  std::vector<double> pose;           ///< coordinates there [rad or m]
  std::vector<std::uint32_t> counts;  ///< raw readings there
};

/// This boot's id (/proc/sys/kernel/random/boot_id).
std::string this_boot();

/// The calibration as a TOML file's text; read_calibration reads it back exactly.
std::string calibration_text(const ArmCalibration& calibration);

/// @throws InputError if the file is there but is not such a file
/// @throws OperationError if there is none: the arm was never calibrated
ArmCalibration read_calibration(const std::filesystem::path& path);

/// Refuses a calibration of another arm, board, wiring, pose or boot. @throws OperationError naming
/// the difference and the command that corrects it
void check_calibration(const ArmCalibration& calibration, const ArmSettings& arm,
                       const BoardSettings& wiring, const ArmBoard::Description& board,
                       const std::string& boot_id);

}  // namespace haptic
