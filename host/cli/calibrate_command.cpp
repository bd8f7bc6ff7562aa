#include "host/cli/calibrate_command.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <memory>
#include <string>
#include <thread>

#include "host/devices/arm_calibrator.h"
#include "host/files/replace_file.h"
#include "rt/device/comedi/arm_calibration.h"
#include "rt/device/comedi/comedi_board.h"
#include "rt/device/comedi/open_comedi_arm.h"
#include "rt/device/open_device.h"
#include "shared/command_line/number_checks.h"
#include "shared/error.h"
#include "shared/printable.h"

namespace haptic {
namespace {

struct CalibrateOptions {
  std::string device;
  bool skip_directions = false;
  bool no_prompt = false;
  double timeout_s = 120.0;
};

void wait(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

// Whether a line has come on standard input.
bool enter_pressed() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  char byte = 0;
  while (poll(&input, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) == 1) {
    if (byte == '\n') return true;
  }
  return false;
}

void calibrate_arm(const DeviceManifest& manifest, const CalibrateOptions& options) {
  const ComediArm read = read_comedi_arm(manifest);
  ComediBoard board(read.board, ComediBoard::Counters::kConfigure);
  bool ready = options.no_prompt;
  ArmCalibrator::Steps steps;
  steps.say = [](const std::string& line) { fmt::print(stderr, "{}\n", printable(line)); };
  steps.wait = wait;
  steps.in_pose = [&ready] { return ready = ready || enter_pressed(); };
  if (!options.no_prompt) {
    steps.say = [say = steps.say](const std::string& line) {
      say(line + (line.starts_with("Bring") ? "; press Enter there" : ""));
    };
  }
  ArmCalibrator::Settings settings;
  settings.check_directions = !options.skip_directions;
  settings.timeout_s = options.timeout_s;
  const std::vector<std::uint32_t> counts = ArmCalibrator::run(read.arm, board, steps, settings);
  if (read.arm.homing == ArmHoming::kAtStart) {
    fmt::print(
        "{}: counters are right; this arm is homed in its rest pose by haptic home "
        "(calibration.method = \"at-start\"), so no file is written\n",
        printable(manifest.name));
    return;
  }
  ArmCalibration found;
  found.device = manifest.name;
  found.written = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  found.boot_id = this_boot();
  found.driver = board.description().driver;
  found.board = board.description().board;
  found.file = read.board.file.string();
  found.counter_bits = board.description().counter_bits;
  found.counters = read.board.counters;
  found.pose = read.arm.calibration_pose;
  found.counts = counts;
  replace_file(read.arm.calibration_file, {calibration_text(found)});
  fmt::print("{}: counts [{}] at the calibration pose, written to {}\n", printable(manifest.name),
             fmt::join(counts, ", "), printable(read.arm.calibration_file.string()));
}

void home_falcon(const DeviceManifest& manifest, const CalibrateOptions& options) {
  constexpr double kRate = 1000.0;
  const std::unique_ptr<Device> device = open_device(manifest, kRate);
  fmt::print(stderr, "Pull the grip fully out, then push it in\n");
  for (double waited = 0.0; waited < options.timeout_s; waited += 1.0 / kRate) {
    wait(1.0 / kRate);
    DeviceState state;
    const DeviceStatus heard = device->sense(state);
    device->set_enabled(false);
    const DeviceStatus sent = device->actuate(Wrench{});
    if (heard != DeviceStatus::kOk || sent == DeviceStatus::kDisconnected) {
      throw OperationError(manifest.name + ": the device no longer answers");
    }
    if (!state.homed) continue;
    fmt::print(
        "{}: homed, grip at ({:.4f}, {:.4f}, {:.4f}) m; the device keeps its zero until "
        "it is switched off, so no file is written\n",
        printable(manifest.name), state.pose.position.x(), state.pose.position.y(),
        state.pose.position.z());
    return;
  }
  throw OperationError(
      manifest.name +
      ": not homed within the timeout: the grip was not moved over its whole range");
}

}  // namespace

void add_calibrate_command(CLI::App& app) {
  const auto options = std::make_shared<CalibrateOptions>();
  CLI::App* command =
      app.add_subcommand("calibrate", "Home a device by hand and write its calibration file");
  command->add_option("DEVICE", options->device, "name or path of its manifest")->required();
  command->add_flag("--skip-directions", options->skip_directions,
                    "skip the check of the directions, in which every axis is moved");
  command->add_flag("--no-prompt", options->no_prompt,
                    "record the arm's pose as soon as it is still, without waiting for Enter");
  command->add_option("--timeout", options->timeout_s, "longest time for each step [s]")
      ->check(number_in(1.0, 3600.0))
      ->capture_default_str();
  command->callback([options] {
    const DeviceManifest manifest = load_manifest(find_manifest(options->device));
    if (manifest.kind == "comedi-arm") {
      calibrate_arm(manifest, *options);
    } else if (manifest.kind == "falcon") {
      home_falcon(manifest, *options);
    } else {
      manifest.table.refuse("kind", "found \"" + manifest.kind + "\"",
                            "a device with encoders to calibrate");
    }
  });
}

}  // namespace haptic
