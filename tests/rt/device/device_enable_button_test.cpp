// `enable_button` of every kind of device.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "rt/device/comedi/open_comedi_arm.h"
#include "rt/device/device.h"
#include "rt/device/falcon/falcon_device.h"
#include "rt/device/replay_device.h"
#include "rt/device/simulated_settings.h"
#include "shared/error.h"

namespace haptic {
namespace {

DeviceManifest shipped_with(const std::string& name, const std::string& line) {
  std::ifstream file(std::string(HAPTIC_FIRMWARE_CONFIG) + "/" + name + ".toml");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return parse_manifest(line + "\n" + text, name + ".toml");
}

template <class Read>
void expect_refused(Read read, const std::string& words) {
  try {
    read();
    ADD_FAILURE() << "not refused: " << words;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
  }
}

TEST(EnableButton, of_an_arm_is_one_of_its_buttons) {
  EXPECT_EQ(read_comedi_arm(shipped_with("woodenhaptics", "")).arm.enable_button, -1);
  EXPECT_EQ(read_comedi_arm(shipped_with("woodenhaptics", "enable_button = 0")).arm.enable_button,
            0);
  EXPECT_EQ(
      read_comedi_arm(shipped_with("three-axis-stage", "enable_button = 1")).arm.enable_button, 1);
  expect_refused([] { read_comedi_arm(shipped_with("woodenhaptics", "enable_button = 1")); },
                 "enable_button: found 1");
  expect_refused([] { read_comedi_arm(shipped_with("woodenhaptics", "enable_button = -1")); },
                 "enable_button: found -1");
}

TEST(EnableButton, of_a_falcon_is_one_of_four) {
  const FalconSettings settings = read_falcon(shipped_with("novint-falcon", "enable_button = 2"));
  EXPECT_EQ(FalconDevice(settings, 1000.0).capabilities().enable_button, 2);
  const FalconSettings without = read_falcon(shipped_with("novint-falcon", ""));
  EXPECT_EQ(FalconDevice(without, 1000.0).capabilities().enable_button, -1);
  expect_refused([] { read_falcon(shipped_with("novint-falcon", "enable_button = 4")); },
                 "enable_button: found 4");
}

TEST(EnableButton, of_a_simulated_hand_is_pressed_unless_a_fault_releases_it) {
  const TomlDocument document = TomlDocument::parse(
      "enable_button = 31\nfaults = [{ kind = \"button\", at = 0.002, lasts = 0.003 }]\n",
      "d.toml");
  const auto device = make_simulated(read_simulated(document.root()), 1000.0);
  EXPECT_EQ(device->capabilities().enable_button, 31);
  DeviceState state;
  for (int k = 0; k < 8; ++k) {
    ASSERT_EQ(device->sense(state), DeviceStatus::kOk);
    EXPECT_EQ(state.buttons, k >= 2 && k < 5 ? 0u : 1u << 31) << k;
  }
  expect_refused(
      [] { read_simulated(TomlDocument::parse("enable_button = 32\n", "d.toml").root()); },
      "enable_button: found 32");
}

TEST(EnableButton, of_a_recording_is_held_while_it_lasts) {
  ReplayDevice device({Pose{}, Pose{}}, 1000.0, 3);
  EXPECT_EQ(device.capabilities().enable_button, 3);
  DeviceState state;
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(device.sense(state), k < 2 ? DeviceStatus::kOk : DeviceStatus::kEndOfScript);
    EXPECT_EQ(state.buttons, k < 2 ? 8u : 0u);
  }
}

}  // namespace
}  // namespace haptic
