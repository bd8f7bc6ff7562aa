// Scene keys of coupling, rates, passivity and the simulated handle.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>

#include "rt/worlds/scene.h"
#include "shared/error.h"
#include "tests/rt/worlds/analytic_models.h"

namespace haptic {
namespace {

class SceneCouplingFile : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(folder_ / "tool.h5") << "model"; }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Scene load(const std::string& head, const std::string& tail) {
    std::ofstream(folder_ / "scene.toml")
        << head << "\n[[body]]\nname = \"tool\"\nmodel = \"tool.h5\"\nrole = \"held\"\n"
        << tail;
    return load_scene(folder_ / "scene.toml");
  }
  void expect_refusal(const std::string& head, const std::string& tail, const std::string& part) {
    std::string message;
    try {
      load(head, tail);
    } catch (const InputError& error) {
      message = error.what();
    }
    EXPECT_NE(message.find(part), std::string::npos) << "message: " << message;
    EXPECT_NE(message.find("scene.toml"), std::string::npos) << message;
  }

  std::filesystem::path folder_ = model_folder("scene_coupling");
};

TEST_F(SceneCouplingFile, absent_keys_leave_everything_as_it_was) {
  const Scene scene = load("", "");
  EXPECT_EQ(scene.coupling.mode, CouplingMode::kStatic);
  EXPECT_EQ(scene.cycles_per_step(), 1u);
  EXPECT_EQ(scene.servo_rate(), scene.rate_hz);
  EXPECT_FALSE(scene.passivity.enabled);
  EXPECT_FALSE(scene.coupling.clutch_button);
  EXPECT_TRUE(std::isinf(scene.coupling.max_stiffness));
  EXPECT_EQ(scene.device.encoder.step, 0.0);
}

TEST_F(SceneCouplingFile, a_key_of_the_other_mode_is_refused) {
  const Scene dynamic = load("", R"([coupling]
mode = "dynamic"
mass = 0.2
inertia = 1e-4
damping_ratio = 0.7
max_stiffness = 900
)");
  EXPECT_EQ(dynamic.coupling.mode, CouplingMode::kDynamic);
  EXPECT_EQ(dynamic.coupling.mass, 0.2);
  EXPECT_EQ(dynamic.coupling.inertia, 1e-4);
  EXPECT_EQ(dynamic.coupling.damping_ratio, 0.7);
  EXPECT_EQ(dynamic.coupling.max_stiffness, 900.0);
  const Scene still = load("", R"([coupling]
mode = "static"
static_damping = 0.25
limit_cycle_guard = true
clutch_button = 2
clutch_fade_s = 0.1
limit_to_device = true
)");
  EXPECT_EQ(still.coupling.mode, CouplingMode::kStatic);
  EXPECT_EQ(still.coupling.static_damping, 0.25);
  EXPECT_TRUE(still.coupling.limit_cycle_guard);
  EXPECT_EQ(still.coupling.clutch_button, 2);
  EXPECT_TRUE(still.coupling.limit_to_device);

  expect_refusal("", "[coupling]\nmode = \"dynamical\"\n", "dynamic");
  expect_refusal("", "[coupling]\nmass = 0.2\n", "coupling.mass");
  expect_refusal("", "[coupling]\nmode = \"dynamic\"\nstatic_damping = 0.5\n",
                 "coupling.static_damping");
  expect_refusal("", "[coupling]\nmode = \"dynamic\"\nmass = 0\n", "coupling.mass");
  expect_refusal("", "[coupling]\nclutch_button = 32\n", "coupling.clutch_button");
  expect_refusal("", "[coupling]\nclutch_fade_s = 0.1\n", "coupling.clutch_fade_s");
  expect_refusal("", "[coupling]\nlimit_to_device = true\nmax_stiffness = 5\n",
                 "coupling.max_stiffness");
}

TEST_F(SceneCouplingFile, a_grasp_is_three_finite_numbers) {
  EXPECT_EQ(load("", "").coupling.grasp, Vector3(0.0, 0.0, 0.0));
  EXPECT_EQ(load("", "[coupling]\ngrasp = [0.1, -0.2, 3]\n").coupling.grasp,
            Vector3(0.1, -0.2, 3.0));
  for (const char* value : {"[0, 0]", "[0, 0, 0, 0]", "[0, 0, inf]", "[nan, 0, 0]", "[0, 1e7, 0]",
                            "[0, 0, \"a\"]", "0.1", "\"top\""}) {
    expect_refusal("", std::string("[coupling]\ngrasp = ") + value + "\n", "coupling.grasp: found");
  }
  expect_refusal("", "[coupling]\ngrip = [0, 0, 0]\n", "grasp");  // the nearest key
}

TEST_F(SceneCouplingFile, a_grasp_needs_a_held_body) {
  std::ofstream(folder_ / "none.toml") << "[[body]]\nname = \"tool\"\nmodel = \"tool.h5\"\nrole = "
                                          "\"anchored\"\n[coupling]\ngrasp = [0, 0, 0]\n";
  try {
    load_scene(folder_ / "none.toml");
    ADD_FAILURE() << "no held body";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("exactly one held body"), std::string::npos);
  }
}

TEST_F(SceneCouplingFile, a_servo_rate_is_a_whole_multiple) {
  const Scene scene = load("rate_hz = 500\nservo_rate_hz = 4000\nworld_timeout_s = 0.05", "");
  EXPECT_EQ(scene.cycles_per_step(), 8u);
  EXPECT_EQ(scene.servo_rate(), 4000.0);
  EXPECT_EQ(scene.world_timeout_s, 0.05);
  EXPECT_EQ(load("rate_hz = 500\nservo_rate_hz = 500", "").cycles_per_step(), 1u);
  expect_refusal("rate_hz = 1000\nservo_rate_hz = 500", "", "servo_rate_hz");
  expect_refusal("rate_hz = 1000\nservo_rate_hz = 2500", "", "servo_rate_hz");
  expect_refusal("world_timeout_s = 0.05", "", "world_timeout_s");
  expect_refusal("rate_hz = 500\nservo_rate_hz = 1000\nworld_timeout_s = 0", "", "world_timeout_s");
}

TEST_F(SceneCouplingFile, a_passivity_table_switches_the_controller_on) {
  EXPECT_TRUE(load("", "[passivity]\n").passivity.enabled);
  const PassivitySettings p = load("", R"([passivity]
enabled = false
reference = "zero"
max_damping = 5
device_damping = 0.5
tolerance = 1e-5
length = 0.1
max_surplus = 0.2
max_deficit = 0.01
)")
                                  .passivity;
  EXPECT_FALSE(p.enabled);
  EXPECT_EQ(p.reference, PassivityReference::kZero);
  EXPECT_EQ(p.max_damping, 5.0);
  EXPECT_EQ(p.device_damping, 0.5);
  EXPECT_EQ(p.tolerance, 1e-5);
  EXPECT_EQ(p.length, 0.1);
  EXPECT_EQ(p.max_surplus, 0.2);
  EXPECT_EQ(p.max_deficit, 0.01);
  expect_refusal("", "[passivity]\nmax_damping = -1\n", "passivity.max_damping");
  expect_refusal("", "[passivity]\nlength = 0\n", "passivity.length");
  expect_refusal("", "[passivity]\nreference = \"none\"\n", "passivity.reference");
  expect_refusal("", "[passivity]\nmax_dampin = 1\n", "max_damping");
}

TEST_F(SceneCouplingFile, a_free_handle_behind_encoders) {
  const SceneDevice d = load("", R"([device]
hand = "free"
mass = 0.1
damping = 0.5
push = [0.0, 0.0, -1.0]
encoder_step = 2e-5
encoder_angle = 1e-3
)")
                            .device;
  EXPECT_EQ(d.hand.kind, HandKind::kFree);
  EXPECT_EQ(d.hand.mass, 0.1);
  EXPECT_EQ(d.hand.push.z(), -1.0);
  EXPECT_EQ(d.encoder.step, 2e-5);
  EXPECT_EQ(d.encoder.angle, 1e-3);
  expect_refusal("", "[device]\nhand = \"free\"\nstiffness = 5\n", "device.stiffness");
  expect_refusal("", "[device]\npush = [0, 0, 1]\n", "device.push");
  expect_refusal("", "[device]\nencoder_step = -1e-5\n", "device.encoder_step");
}

}  // namespace
}  // namespace haptic
