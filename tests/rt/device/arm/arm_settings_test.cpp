#include "rt/device/arm/arm_settings.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "shared/error.h"

namespace haptic {
namespace {

std::string axis(std::string_view gear, std::string_view more = "") {
  return "[[axis]]\ncounts_per_turn = 4000\ngear_ratio = " + std::string(gear) +
         "\nrange = [-2.0, 2.0]\ntorque_constant = 0.0234\namperes_per_volt = 0.6\n"
         "max_torque = 0.129\n" +
         std::string(more);
}

struct Parts {
  std::string joints =
      "[[joint]]\naxis = [0, 0, 1]\n[[joint]]\naxis = [0, -1, 0]\n"
      "[[joint]]\noffset = [0.215, 0, 0]\naxis = [0, -1, 0]\ncoupling = [0, -1, 1]\n";
  std::string axes = axis("13.3") + axis("11.2") + axis("11.2");
  std::string rating = "[rating]\nforce = 6.5\nstiffness = 800\nworkspace_radius = 0.06\n";
  std::string limits =
      "[limits]\nspeed = 2\nreach = 0.2\nslew_N_per_s = 5000\npower = 3\nimpulse = 10\n";
  std::string frame = "[frame]\norigin = [0.215, 0, -0.17]\n";
  std::string calibration = "[calibration]\npose = [0, 0, 0]\n";
  std::string tool = "tool = [0, 0, -0.17]\n";
  std::string text() const {
    return "kind = \"comedi-arm\"\nname = \"arm\"\n" + tool + joints + axes + rating + limits +
           frame + calibration;
  }
};

ArmSettings read(const Parts& parts) {
  const DeviceManifest manifest = parse_manifest(parts.text(), "arm.toml");
  ArmSettings arm = read_arm(manifest);
  manifest.table.finish();
  return arm;
}

void expect_refusal(const Parts& parts, const std::string& words) {
  try {
    read(parts);
    ADD_FAILURE() << "not refused: " << words;
  } catch (const InputError& error) {
    const std::string line = error.what();
    EXPECT_NE(line.find(words), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
}

TEST(ArmSettings, reads_an_arm) {
  const ArmSettings arm = read({});
  ASSERT_EQ(arm.axes.size(), 3u);
  EXPECT_EQ(arm.motors, 3u);
  // One count of 4000 to the turn (docs/methods/devices.md, "Reference arms").
  EXPECT_NEAR(arm.axes[0].step(), 1.181e-4, 5e-8);
  EXPECT_NEAR(arm.axes[1].step(), 1.402e-4, 5e-8);
  // 0.0234 N·m/A at 0.6 A/V: 14.04 mN·m to the volt.
  EXPECT_NEAR(arm.axes[0].volts(0.01404), 1.0, 1e-12);
  EXPECT_NEAR(arm.axes[0].torque(-2.0), -0.02808, 1e-12);
  EXPECT_EQ(arm.homing, ArmHoming::kAtStart);
}

TEST(ArmSettings, the_calibration_file_is_in_the_state_folder_of_the_daemon) {
  Parts parts;
  parts.calibration = "[calibration]\nmethod = \"file\"\npose = [0, 0, 0]\n";
  EXPECT_EQ(read(parts).calibration_file.filename(), "arm.calibration.toml");
  parts.calibration += "file = \"/tmp/here.toml\"\n";
  EXPECT_EQ(read(parts).calibration_file, "/tmp/here.toml");
}

TEST(ArmSettings, inverts_the_forward_kinematics) {
  const ArmSettings arm = read({});
  const SerialLink link(arm.link);
  SerialLink::Placement placement;
  const std::vector<double> q = coordinates_at(arm, {0.259649, 0.026052, -0.119693}, {0, 0, 0});
  ASSERT_EQ(q.size(), 3u);
  // The printed place of (0.1, 0.2, 0.3) has six decimals; 5e-7 m on arms of 0.17 m.
  EXPECT_NEAR(q[0], 0.1, 1e-5);
  EXPECT_NEAR(q[1], 0.2, 1e-5);
  EXPECT_NEAR(q[2], 0.3, 1e-5);
  EXPECT_TRUE(coordinates_at(arm, {0.5, 0.0, 0.0}, {0, 0, 0}).empty());
}

TEST(ArmSettings, refuses_impossible_geometry) {
  Parts parts;
  parts.joints =
      "[[joint]]\naxis = [0, -1, 0]\n[[joint]]\naxis = [0, -1, 0]\n"
      "[[joint]]\noffset = [0.215, 0, 0]\naxis = [0, -1, 0]\n";
  expect_refusal(parts, "cannot be pushed in every direction");  // three parallel axes: a plane
  parts = {};
  parts.tool = "tool = [0, 0, 0]\n";  // no forearm
  expect_refusal(parts, "cannot be pushed in every direction");
  parts = {};
  parts.joints.replace(parts.joints.find("[0, 0, 1]"), 9, "[0, 0, 0]");
  expect_refusal(parts, "joint[0].axis: found a vector of length 0");
  parts = {};
  parts.frame = "[frame]\norigin = [0.5, 0, 0]\n";
  expect_refusal(parts, "that the handle does not reach");
  parts = {};
  parts.rating = "[rating]\nforce = 6.5\nstiffness = 800\nworkspace_radius = 0.3\n";
  expect_refusal(parts, "within the arm's reach");
  parts = {};
  parts.frame = "[frame]\norientation = [1, 1, 0, 0]\n";
  expect_refusal(parts, "w, x, y, z of length 1");
}

TEST(ArmSettings, refuses_motors_too_weak_for_the_rating) {
  Parts parts;
  parts.rating = "[rating]\nforce = 9.0\nstiffness = 800\nworkspace_radius = 0.06\n";
  // 9 N at 0.215 m over 13.3: 0.1455 N·m.
  expect_refusal(parts, "axis[0].max_torque: found 0.129 N·m, expected at least 0.1455 N·m");
}

TEST(ArmSettings, refuses_an_incomplete_description) {
  Parts parts;
  parts.axes = axis("13.3") + axis("11.2");
  expect_refusal(parts, "found 2 axes");
  parts = {};
  parts.axes = axis("13.3", "resistance = 2.3\n") + axis("11.2") + axis("11.2");
  expect_refusal(parts, "thermal_resistance: missing");
  parts = {};
  parts.axes = axis("13.3", "encoder_direction = 0\n") + axis("11.2") + axis("11.2");
  expect_refusal(parts, "1 or -1");
  parts = {};
  parts.axes = axis("-13.3") + axis("11.2") + axis("11.2");
  expect_refusal(parts, "gear_ratio");
  parts = {};
  parts.calibration = "[calibration]\npose = [0, 2.1, 0]\n";
  expect_refusal(parts, "calibration.pose");
  parts = {};
  parts.axes = axis("13.3", "gear_rato = 3\n") + axis("11.2") + axis("11.2");
  expect_refusal(parts, "gear_rato");
}

}  // namespace
}  // namespace haptic
