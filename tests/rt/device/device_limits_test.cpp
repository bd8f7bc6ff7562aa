#include "rt/device/device_limits.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "rt/device/arm/arm_settings.h"
#include "rt/device/device_manifest.h"
#include "rt/device/falcon/falcon_settings.h"
#include "rt/device/open_device.h"
#include "shared/error.h"

namespace haptic {
namespace {

DeviceManifest shipped(const char* name) {
  return load_manifest(fmt::format("{}/{}.toml", HAPTIC_FIRMWARE_CONFIG, name));
}

/// Of a device with a force and no torque.
void expect_bounded(const DeviceLimits& limits, double force) {
  for (const double limit :
       {limits.speed, limits.reach, limits.slew_N_per_s, limits.power, limits.impulse}) {
    EXPECT_TRUE(std::isfinite(limit) && limit > 0.0) << limit;
  }
  // A force at its limit must break it within the window, or it limits nothing.
  EXPECT_LT(limits.impulse, force * limits.impulse_window_s);
}

TEST(DeviceLimits, every_shipped_device_with_motors_has_finite_limits) {
  const FalconSettings falcon = read_falcon(shipped("novint-falcon"));
  expect_bounded(falcon.limits, falcon.max_force);
  EXPECT_GT(falcon.limits.reach, falcon.workspace_radius);
  for (const char* name : {"woodenhaptics", "phantom-premium-1-5", "three-axis-stage"}) {
    SCOPED_TRACE(name);
    const ArmSettings arm = read_arm(shipped(name));
    expect_bounded(arm.limits, arm.max_force);
    EXPECT_GT(arm.limits.reach, arm.workspace_radius);
  }
  const auto simulated = open_device(shipped("simulated-hand"), 1000.0);
  const DeviceLimits& limits = simulated->capabilities().limits;
  EXPECT_EQ(limits.speed, 5.0);
  EXPECT_EQ(limits.angular_speed, 50.0);
  EXPECT_EQ(limits.torque_slew_Nm_per_s, 500.0);
}

std::string refusal(const std::string& text, LimitsNeeded needed) {
  const TomlDocument document = TomlDocument::parse(fmt::format("[limits]\n{}", text), "m.toml");
  const TomlTable limits = document.root().table("limits");
  try {
    DeviceLimits read;
    device_limit_keys(needed).read(limits, read);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(DeviceLimits, limits_required_of_a_device_with_motors_cannot_be_omitted) {
  const std::string force =
      "speed = 2\nreach = 0.2\nslew_N_per_s = 5000\npower = 3\nimpulse = 10\n";
  const std::string torque = "angular_speed = 20\ntorque_slew_Nm_per_s = 100\n";
  EXPECT_EQ(refusal("", LimitsNeeded::kNone), "");
  EXPECT_EQ(refusal(force, LimitsNeeded::kForce), "");
  EXPECT_EQ(refusal(force + torque, LimitsNeeded::kForceTorque), "");
  for (const char* key : {"speed", "reach", "slew_N_per_s", "power", "impulse"}) {
    std::string without = force;
    without[without.find(fmt::format("{} =", key))] = '#';
    EXPECT_THAT(refusal(without, LimitsNeeded::kForce), testing::HasSubstr(key));
  }
  EXPECT_THAT(refusal(force, LimitsNeeded::kForceTorque), testing::HasSubstr("angular_speed"));
  EXPECT_THAT(refusal("speed = 0\n", LimitsNeeded::kNone), testing::HasSubstr("limits.speed"));
  EXPECT_THAT(refusal("impulse_window_s = 0\n", LimitsNeeded::kNone),
              testing::HasSubstr("impulse_window_s"));
  EXPECT_THAT(refusal("speeds = 2\n", LimitsNeeded::kNone),
              testing::HasSubstr("did you mean \"speed\""));
}

}  // namespace
}  // namespace haptic
