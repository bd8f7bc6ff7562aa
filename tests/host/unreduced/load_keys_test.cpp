#include "host/unreduced/load_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "shared/error.h"
#include "tests/support/described_keys.h"

namespace haptic {
namespace {

using testing::HasSubstr;

const std::string kTime = "dt_s = 0.001\nsteps = 10\n";
const std::string kForce = "force_N = [0, 0, 1]\n";

LoadScript read(const std::string& text) {
  LoadScript script;
  load_script_keys().read(TomlDocument::parse(text, "l.toml").root(), script);
  return script;
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(LoadKeys, reach_their_members) {
  const LoadScript script =
      read(kTime + "gravity = [0, -9.81, 0]\ndamping = [0.5, 3e-4]\n[[load]]\nvertex = 7\n" +
           kForce + "[[load]]\nnear = [1, 2, 3]\n" + kForce +
           "from_s = 0.1\nto_s = 0.2\n[[probe]]\nnear = [0, 0, 1]\n");
  EXPECT_EQ(script.dt, 0.001);
  EXPECT_EQ(script.steps, 10);
  EXPECT_EQ(script.gravity.y(), -9.81);
  EXPECT_EQ((*script.damping)[1], 3e-4);
  ASSERT_EQ(script.loads.size(), 2U);
  EXPECT_EQ(script.loads[0].place.vertex, 7U);
  EXPECT_EQ(script.loads[0].force, Vector3(0.0, 0.0, 1.0));
  EXPECT_EQ(script.loads[0].from, 0.0);
  EXPECT_TRUE(std::isinf(script.loads[0].to));
  EXPECT_FALSE(script.loads[1].place.vertex);
  EXPECT_EQ(script.loads[1].place.near, Vector3(1.0, 2.0, 3.0));
  EXPECT_EQ(script.loads[1].to, 0.2);
  ASSERT_EQ(script.probes.size(), 1U);
  EXPECT_EQ(script.probes[0].near.z(), 1.0);
}

TEST(LoadKeys, refuse_what_is_no_load) {
  const auto load = [](const std::string& keys) { return refusal(kTime + "[[load]]\n" + keys); };
  EXPECT_EQ(load(kForce),
            "l.toml:3: load[0]: found neither, expected either \"vertex\" (an id) or \"near\" = "
            "[x, y, z] [m]");
  EXPECT_THAT(load(kForce + "vertex = 1\nnear = [0, 0, 0]"),
              HasSubstr("load[0]: found both \"vertex\" and \"near\""));
  EXPECT_THAT(load("vertex = 1"), HasSubstr("load[0].force_N: missing"));
  EXPECT_THAT(load("vertex = 1\nforce_N = [0, 0, 2e12]"),
              HasSubstr("load[0].force_N: found 2e+12 N, expected at most 1e+12 N"));
  EXPECT_THAT(load(kForce + "vertex = 1\nfrom_s = 2\nto_s = 2"),
              HasSubstr("load[0].to_s: found 2, expected a time after from_s = 2 [s]"));
  EXPECT_THAT(load(kForce + "vertex = 1\nuntil_s = 2"), HasSubstr("load[0].until_s: unknown key"));
  EXPECT_THAT(refusal("dt_s = 0.001\nsteps = 0"), HasSubstr("steps: found 0"));
  EXPECT_THAT(refusal(kTime + "damping = [1]"), HasSubstr("damping: found [1]"));
}

TEST(LoadKeys, are_described_in_sentences) {
  for (const DocumentKey& key : load_script_keys().described()) {
    expect_well_formed(key, key.path);
  }
}

}  // namespace
}  // namespace haptic
