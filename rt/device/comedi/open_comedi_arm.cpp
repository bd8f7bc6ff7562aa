#include "rt/device/comedi/open_comedi_arm.h"

#include <optional>
#include <utility>
#include <vector>

#include "rt/device/comedi/arm_calibration.h"
#include "rt/device/comedi/arm_device.h"
#include "rt/device/comedi/comedi_board.h"

namespace haptic {

ComediArm read_comedi_arm(const DeviceManifest& manifest) {
  ComediArm read;
  read.arm = read_arm(manifest);
  read.board = read_board(manifest, read.arm.axes.size(), read.arm.motors);
  manifest.table.finish();
  return read;
}

std::unique_ptr<Device> open_comedi_arm(const DeviceManifest& manifest, double rate_hz) {
  ComediArm read = read_comedi_arm(manifest);
  const bool from_file = read.arm.homing == ArmHoming::kFile;
  std::optional<ArmCalibration> calibration;
  if (from_file) calibration = read_calibration(read.arm.calibration_file);
  auto board = std::make_unique<ComediBoard>(
      read.board, from_file ? ComediBoard::Counters::kLeave : ComediBoard::Counters::kConfigure);
  std::optional<std::vector<std::uint32_t>> counts;
  if (calibration) {
    check_calibration(*calibration, read.arm, read.board, board->description(), this_boot());
    counts = calibration->counts;
  }
  return std::make_unique<ArmDevice>(std::move(read.arm), read.board, std::move(board), rate_hz,
                                     std::move(counts));
}

}  // namespace haptic
