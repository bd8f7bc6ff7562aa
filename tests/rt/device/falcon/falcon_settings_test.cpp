#include "rt/device/falcon/falcon_settings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>

#include "shared/error.h"
#include "tests/rt/device/falcon/falcon_rig.h"

namespace haptic {
namespace {

// The shipped manifest with one piece of text replaced.
std::string with(const std::string& from, const std::string& to) {
  std::ifstream file(shipped_manifest());
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string refusal(const std::string& from, const std::string& to) {
  try {
    read_falcon(parse_manifest(with(from, to), "falcon.toml"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

TEST(FalconSettings, the_shipped_manifest_is_the_published_device) {
  const FalconSettings settings = shipped_settings();
  EXPECT_EQ(settings.identity.vendor, 0x0403);
  EXPECT_EQ(settings.identity.product, 0xcb48);
  EXPECT_NEAR(settings.gear_ratio, 7.719, 5e-4);
  EXPECT_NEAR(settings.geometry.radians_per_count, 6.359e-4, 5e-8);
  const FalconGeometry published;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(settings.geometry.leg_angles[i], published.leg_angles[i], 1e-12);
  }
  EXPECT_NEAR(settings.geometry.zero_angle, published.zero_angle, 1e-12);
  ASSERT_TRUE(settings.firmware);
  EXPECT_EQ(settings.firmware->size, 8492U);
  EXPECT_EQ(settings.firmware->hash, "md5:63e248bf0b9e63d4b71da5e4adeeb749");
  EXPECT_EQ(settings.lights.bits(settings.lights.homing), 8);
}

TEST(FalconSettings, impossible_manifests_are_refused_by_key) {
  const auto has = [](const std::string& line, const std::string& part) {
    return line.find(part) != std::string::npos;
  };
  EXPECT_EQ(refusal("a = 0.060", "a = 0.060"), "taken");
  EXPECT_PRED2(has, refusal("a = 0.060", "a = -0.060"), "geometry.a: found -0.06");
  EXPECT_PRED2(has, refusal("b = 0.1025", "b = 0.03"), "legs that do not reach");
  EXPECT_PRED2(has, refusal("workspace_radius = 0.05", "workspace_radius = 0.15"),
               "legs that do not reach");
  EXPECT_PRED2(has, refusal("drum_diameter = 0.110", "drum_diameter = 0"),
               "geometry.drum_diameter");
  EXPECT_PRED2(has, refusal("hang_timeout_s = 0.05", "hang_timeout_s = 0.015"),
               "io.hang_timeout_s: found 0.015");
  EXPECT_PRED2(has, refusal("units_per_joint_torque = -10000.0", "units_per_joint_torque = 0.0"),
               "motor.units_per_joint_torque: found 0");
  EXPECT_PRED2(has, refusal("largest_unit = 4095", "largest_unit = 40950"), "motor.largest_unit");
  EXPECT_PRED2(has, refusal("max_C = 100.0", "max_C = 20.0"), "motor.max_C");
  EXPECT_PRED2(has, refusal("red = 8", "red = 1"), "leds.red: found 1");
  EXPECT_PRED2(has, refusal("homing = \"red\"", "homing = \"yellow\""), "leds.homing");
  EXPECT_PRED2(has, refusal("hash = \"md5:", "hash = \"crc:"), "firmware.hash");
  EXPECT_PRED2(has, refusal("size = 8492", "size = 0"), "firmware.size");
  EXPECT_PRED2(has, refusal("stuck_s = 2.0", "stuck_sec = 2.0"), "encoder.stuck_s");
  EXPECT_PRED2(has, refusal("[leds]", "[lights]"), "leds");
}

}  // namespace
}  // namespace haptic
