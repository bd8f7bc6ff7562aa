#include "rt/device/external/external_settings.h"

#include <gtest/gtest.h>

#include <string>

#include "rt/device/device_manifest.h"
#include "shared/error.h"
#include "tests/rt/device/external/external_rig.h"

namespace haptic {
namespace {

const std::string kLimits =
    "[limits]\nmax_force = 3\nmax_stiffness = 500\nworkspace_radius = 0.1\nspeed = 1\nreach = 0.2\n"
    "slew_N_per_s = 900\npower = 2\nimpulse = 5\n";

ExternalSettings read(const std::string& keys, const std::string& limits = kLimits) {
  return read_external(
      parse_manifest("kind = \"external\"\nname = \"mine\"\n" + keys + limits, "mine.toml"));
}

std::string refusal(const std::string& keys, const std::string& limits = kLimits) {
  try {
    read(keys, limits);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

TEST(ExternalSettings, the_shipped_manifest_is_read) {
  const ExternalSettings s = shipped_external_settings();
  EXPECT_EQ(s.link, "reference");
  EXPECT_EQ(s.freedoms, 3);
  EXPECT_EQ(s.max_force, 5.0);
  EXPECT_EQ(s.limits.speed, 1.0);
  EXPECT_FALSE(s.end_hung_adapter);
}

TEST(ExternalSettings, defaults_and_the_limits_that_are_required) {
  const ExternalSettings s = read("");
  EXPECT_EQ(s.link, "mine");
  EXPECT_DOUBLE_EQ(s.max_age_s, 0.01);
  EXPECT_DOUBLE_EQ(s.zero_after_s, 0.01);
  EXPECT_EQ(s.max_torque, 0.0);
  EXPECT_TRUE(read("hung_adapter = \"end\"\n").end_hung_adapter);
  for (const char* key : {"speed", "reach", "slew_N_per_s", "power", "impulse"}) {
    std::string without = kLimits;
    const std::size_t at = without.find("\n" + std::string(key)) + 1;
    without.erase(at, without.find('\n', at) - at + 1);
    EXPECT_NE(refusal("", without).find(key), std::string::npos) << key;
  }
}

TEST(ExternalSettings, what_is_out_of_range_or_unknown_is_refused) {
  EXPECT_NE(refusal("zero_after_ms = 21\n").find("zero_after_ms"), std::string::npos);
  EXPECT_NE(refusal("max_age_ms = 0\n").find("max_age_ms"), std::string::npos);
  EXPECT_NE(refusal("link = \"../x\"\n").find("link"), std::string::npos);
  EXPECT_NE(refusal("freedoms = \"4\"\n").find("freedoms"), std::string::npos);
  EXPECT_NE(refusal("max_age = 3\n").find("max_age_ms"), std::string::npos);  // the nearest key
  EXPECT_NE(refusal("freedoms = \"3\"\n", kLimits + "max_torque = 0.1\n").find("max_torque"),
            std::string::npos);
  EXPECT_NE(refusal("", kLimits + "max_torque = 0.1\n").find("angular_speed"), std::string::npos);
}

}  // namespace
}  // namespace haptic
