#include "rt/device/comedi/arm_calibration.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <string_view>

#include "rt/device/comedi/calibration_keys.h"
#include "shared/error.h"

namespace haptic {

std::string this_boot() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id.empty() ? "unknown" : id;
}

std::string calibration_text(const ArmCalibration& c) {
  return fmt::format(
      "# Written by haptic calibrate: what the counters read in the calibration pose.\n"
      "device = \"{}\"\nwritten = \"{}\"\nboot_id = \"{}\"\ndriver = \"{}\"\nboard = \"{}\"\n"
      "file = \"{}\"\ncounter_bits = {}\ncounters = [{}]\npose = [{:.17g}]\ncounts = [{}]\n",
      c.device, c.written, c.boot_id, c.driver, c.board, c.file, c.counter_bits,
      fmt::join(c.counters, ", "), fmt::join(c.pose, ", "), fmt::join(c.counts, ", "));
}

ArmCalibration read_calibration(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    throw OperationError(fmt::format("{}: no calibration: run haptic calibrate", path.string()));
  }
  const TomlTable table = TomlDocument::load(path).root();
  table.use_keys(calibration_groups());
  ArmCalibration calibration;
  calibration_keys().read(table, calibration);
  return calibration;
}

void check_calibration(const ArmCalibration& c, const ArmSettings& arm, const BoardSettings& wiring,
                       const ArmBoard::Description& board, const std::string& boot_id) {
  const auto refuse = [&](std::string_view what) {
    throw OperationError(fmt::format("{}: calibration of {}: run haptic calibrate {}",
                                     arm.calibration_file.string(), what, arm.name));
  };
  if (c.device != arm.name) refuse(fmt::format("another device (\"{}\")", c.device));
  if (c.driver != board.driver || c.board != board.board) {
    refuse(fmt::format("another board ({}, driver {})", c.board, c.driver));
  }
  if (c.file != wiring.file.string()) refuse(fmt::format("another node ({})", c.file));
  if (c.counters != wiring.counters || c.counter_bits != board.counter_bits) {
    refuse("another wiring of the counters");
  }
  bool same_pose = c.pose.size() == arm.calibration_pose.size();
  for (std::size_t i = 0; same_pose && i < c.pose.size(); ++i) {
    same_pose = std::abs(c.pose[i] - arm.calibration_pose[i]) < 1e-9;
  }
  if (!same_pose) refuse("another calibration pose");
  if (c.boot_id != boot_id) refuse("an earlier boot of this machine, whose counts are lost");
}

}  // namespace haptic
