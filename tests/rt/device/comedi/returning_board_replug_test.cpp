// The whole driver, its thread and the real libcomedi included: a board is unplugged and comes
// back. Nothing is asserted about times: only what happens.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "rt/device/comedi/arm_calibration.h"
#include "rt/device/comedi/open_comedi_arm.h"
#include "tests/rt/device/comedi/emulated_comedi.h"
#include "tests/rt/device/comedi/stepped_clock.h"

namespace haptic {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string manifest_text(const EmulatedComedi& kernel) {
  std::ifstream file(HAPTIC_FIRMWARE_CONFIG "/woodenhaptics.toml");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return replaced(text, "[board]", "[board]\nfile = \"" + kernel.node().string() + "\"");
}

DeviceStatus cycle(SteppedClock& clock, Device& device, DeviceState& state, bool enabled) {
  clock.pass(0.001);
  const DeviceStatus sensed = device.sense(state);
  device.set_enabled(enabled);
  const DeviceStatus sent =
      device.actuate(enabled ? Wrench{{1.0, 0.0, 0.0}, Vector3::Zero()} : Wrench{});
  return sensed != DeviceStatus::kOk ? sensed : sent;
}

bool cycle_until(SteppedClock& clock, Device& device, DeviceState& state, DeviceStatus wanted) {
  for (int k = 0; k < 30'000; ++k) {
    if (cycle(clock, device, state, false) == wanted) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

void unplug_and_return(EmulatedComedi& kernel, SteppedClock& clock, Device& device,
                       DeviceState& state) {
  device.home();  // means nothing where a calibration file has said it
  for (int k = 0; k < 600; ++k) ASSERT_EQ(cycle(clock, device, state, false), DeviceStatus::kOk);
  ASSERT_TRUE(state.homed);
  ASSERT_EQ(cycle(clock, device, state, true), DeviceStatus::kOk);
  ASSERT_NE(kernel.lines_out & kEnable, 0u);
  kernel.gone = true;
  // Until the board counts as lost: 0.1 s of exchanges.
  for (int k = 0; k < 150; ++k)
    EXPECT_EQ(cycle(clock, device, state, true), DeviceStatus::kDisconnected);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // a few vain attempts
  kernel.output = {100, 200, 300, 400};  // the outputs of a board at power-on are unknown
  kernel.lines_out = kEnable;
  kernel.counter = {};
  kernel.gone = false;
  ASSERT_TRUE(cycle_until(clock, device, state, DeviceStatus::kOk));
  EXPECT_FALSE(state.homed);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(kernel.output[i], kZero);
  EXPECT_EQ(kernel.lines_out & kEnable, 0u);
}

TEST(BoardReplug, returns_at_zero_and_homes_only_at_an_operators_command) {
  EmulatedComedi kernel;
  kernel.lines_in = kStop | kButton;
  SteppedClock clock;
  const auto device =
      open_comedi_arm(parse_manifest(manifest_text(kernel), "arm.toml"), 1000.0, &clock);
  DeviceState state;
  unplug_and_return(kernel, clock, *device, state);
  if (HasFatalFailure()) return;
  EXPECT_EQ(kernel.presets.size(), 6u);  // three counters, told twice
  // A servo that erred and enabled it: nothing leaves before the arm is homed.
  for (int k = 0; k < 1000; ++k) ASSERT_EQ(cycle(clock, *device, state, true), DeviceStatus::kOk);
  EXPECT_FALSE(state.homed);
  EXPECT_EQ(kernel.lines_out & kEnable, 0u);
  device->restart();
  for (int k = 0; k < 1000; ++k) ASSERT_EQ(cycle(clock, *device, state, true), DeviceStatus::kOk);
  EXPECT_FALSE(state.homed);
  device->home();
  for (int k = 0; k < 600; ++k) ASSERT_EQ(cycle(clock, *device, state, false), DeviceStatus::kOk);
  EXPECT_TRUE(state.homed);
  EXPECT_LT(state.pose.position.norm(), 1e-15);  // in its pose; rounding of quarter turns
  ASSERT_EQ(cycle(clock, *device, state, true), DeviceStatus::kOk);
  EXPECT_NE(kernel.lines_out & kEnable, 0u);
  EXPECT_NE(kernel.output[0], kZero);
}

TEST(BoardReplug, a_calibration_file_of_lost_counts_is_renamed) {
  EmulatedComedi kernel;
  kernel.lines_in = kStop | kButton;
  const std::filesystem::path file = kernel.node().string() + ".toml";
  const std::string text = replaced(manifest_text(kernel), "method = \"at-start\"",
                                    "method = \"file\"\nfile = \"" + file.string() + "\"");
  const DeviceManifest manifest = parse_manifest(text, "arm.toml");
  const ComediArm read = read_comedi_arm(manifest);
  std::ofstream(file) << calibration_text({"woodenhaptics",
                                           "2026-01-01T00:00:00Z",
                                           this_boot(),
                                           "s626",
                                           "s626",
                                           kernel.node(),
                                           24,
                                           {0, 1, 2},
                                           read.arm.calibration_pose,
                                           {0, 0, 0}});
  SteppedClock clock;
  const auto device = open_comedi_arm(manifest, 1000.0, &clock);
  EXPECT_TRUE(kernel.presets.empty());
  DeviceState state;
  unplug_and_return(kernel, clock, *device, state);
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(std::filesystem::remove(file.string() + ".lost"));
}

}  // namespace
}  // namespace haptic
