#include "rt/worlds/scene.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "rt/worlds/scene_device.h"
#include "rt/worlds/solids/solids_settings.h"
#include "shared/error.h"
#include "tests/rt/worlds/analytic_models.h"
#include "tests/rt/worlds/scene_refusal.h"

namespace haptic {
namespace {

class SceneFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_ / "cow.h5") << "model";
    std::ofstream(folder_ / "tool.h5") << "model";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Scene load(const std::string& text) {
    std::ofstream(folder_ / "scene.toml") << text;
    return load_scene(folder_ / "scene.toml");
  }
  std::string refusal(const std::string& text) {
    return scene_refusal([&] { load(text); });
  }
  void expect_refusal(const std::string& text, const std::string& part) {
    expect_scene_refusal([&] { load(text); }, part);
  }

  std::filesystem::path folder_ = model_folder("scene");
  const std::string bodies_ = R"(
[[body]]
name = "cow"
model = "cow.h5"
role = "anchored"
[[body]]
name = "tool"
model = "tool.h5"
role = "held"
)";
  const std::string contact_ = R"(
[[contact]]
points = "cow"
field = "tool"
)";
};

TEST_F(SceneFile, reads_the_example_of_the_design) {
  const Scene scene = load(R"(
rate_hz = 1000
length_scale = 1.0        # simulated m per m of hand
[[body]]
name = "cow"
model = "cow.h5"
role = "anchored"         # anchored | held | free
[[body]]
name = "tool"
model = "tool.h5"
role = "held"
[[contact]]
points = "cow"
field = "tool"
stiffness = 200.0         # N/m per point
[coupling]
stiffness = 400.0         # N/m
rotational_stiffness = 0.5  # N·m/rad
)");
  ASSERT_EQ(scene.bodies.size(), 2U);
  EXPECT_EQ(scene.bodies[0].model, BodySource(std::filesystem::absolute(folder_ / "cow.h5")));
  EXPECT_EQ(scene.held_body(), 1U);
  const std::vector<solids::SceneContact>& contacts = solids::solids_settings(scene).contacts;
  ASSERT_EQ(contacts.size(), 1U);
  EXPECT_EQ(contacts[0].points, 0U);
  EXPECT_EQ(contacts[0].field, 1U);
  EXPECT_EQ(contacts[0].settings.stiffness, 200.0);
  EXPECT_EQ(scene.coupling.rotational_stiffness, 0.5);
}

TEST_F(SceneFile, reads_every_key) {
  const Scene scene = load(R"(
rate_hz = 2000
length_scale = 2.5
[[body]]
name = "cow"
model = "cow.h5"
role = "anchored"
position = [0.1, 0.2, 0.3]
orientation = [0.7071067811865476, 0.0, 0.7071067811865476, 0.0]
[[body]]
name = "tool"
model = "tool.h5"
role = "held"
[[contact]]
points = "tool"
field = "cow"
stiffness = 50
[coupling]
stiffness = 300
rotational_stiffness = 0.2
static_damping = 0.25
max_speed = 0.5
max_angular_speed = 3
permitted_depth = 0.001
contact_gradient = "direct"
saturation_gradient = "tangent"
[limits]
force = 4
torque = 0.1
ramp_s = 0.2
slew_N_per_s = 1000
speed = 2
workspace_radius = 0.15
torque_slew_Nm_per_s = 20
power = 3
angular_speed = 8
stale_s = 0.02
stop_button = 3
impulse = 5
impulse_window_s = 1.5
stale_input_s = 0.004
overload_slots = 12
overload_fraction = 0.2
overload_window_s = 0.4
stop_s = 0.25
enable_button = 4
[device]
name = "simulated"
script = "hand.csv"
hand = "spring-damper"
mass = 0.4
stiffness = 200
damping = 10
)");
  EXPECT_EQ(scene.rate_hz, 2000.0);
  EXPECT_EQ(scene.length_scale, 2.5);
  EXPECT_EQ(scene.bodies[0].pose.position, Vector3(0.1, 0.2, 0.3));
  EXPECT_NEAR(scene.bodies[0].pose.orientation.y(), 0.7071067811865476, 1e-15);
  EXPECT_EQ(solids::solids_settings(scene).contacts[0].points, 1U);
  EXPECT_EQ(scene.coupling.static_damping, 0.25);
  EXPECT_EQ(scene.coupling.max_speed, 0.5);
  EXPECT_EQ(scene.coupling.max_angular_speed, 3.0);
  EXPECT_EQ(scene.coupling.permitted_depth, 0.001);
  EXPECT_EQ(scene.coupling.contact_gradient, ContactGradient::kDirect);
  EXPECT_EQ(scene.coupling.saturation_gradient, SaturationGradient::kTangent);
  EXPECT_EQ(scene.limits.force, 4.0);
  EXPECT_EQ(scene.limits.torque, 0.1);
  EXPECT_EQ(scene.limits.ramp_s, 0.2);
  EXPECT_EQ(scene.limits.slew_N_per_s, 1000.0);
  EXPECT_EQ(scene.limits.speed, 2.0);
  EXPECT_EQ(scene.limits.workspace_radius, 0.15);
  EXPECT_EQ(scene.limits.torque_slew_Nm_per_s, 20.0);
  EXPECT_EQ(scene.limits.power, 3.0);
  EXPECT_EQ(scene.limits.angular_speed, 8.0);
  EXPECT_EQ(scene.limits.stale_s, 0.02);
  EXPECT_EQ(scene.limits.stop_buttons, 1u << 3);
  EXPECT_EQ(scene.limits.impulse, 5.0);
  EXPECT_EQ(scene.limits.impulse_window_s, 1.5);
  EXPECT_EQ(scene.limits.stale_input_s, 0.004);
  EXPECT_EQ(scene.limits.overload_slots, 12u);
  EXPECT_EQ(scene.limits.overload_fraction, 0.2);
  EXPECT_EQ(scene.limits.overload_window_s, 0.4);
  EXPECT_EQ(scene.limits.stop_s, 0.25);
  EXPECT_EQ(scene.limits.enable_buttons, 1u << 4);
  EXPECT_EQ(scene.device.script, std::filesystem::absolute(folder_ / "hand.csv"));
  EXPECT_EQ(scene.device.hand.kind, HandKind::kSpringDamper);
  EXPECT_EQ(scene.device.hand.mass, 0.4);
  EXPECT_EQ(scene.device.hand.stiffness, 200.0);
  EXPECT_EQ(scene.device.hand.damping, 10.0);
}

TEST_F(SceneFile, a_recipe_is_told_from_a_scene) {
  EXPECT_EQ(refusal("[source]\nmesh = \"cow.obj\"\n"),
            (folder_ / "scene.toml").string() +
                ": found a recipe (a table [source], no body), expected a scene, which names the "
                "model that `haptic bake` makes of a recipe");
}

TEST_F(SceneFile, refuses_unknown_keys_with_the_nearest_known_one) {
  expect_refusal("rate = 1000\n" + bodies_, "rate_hz");
  expect_refusal(bodies_ + "[coupling]\nstifness = 3\n", "did you mean \"stiffness\"");
  expect_refusal(bodies_ + "[limits]\nforces = 3\n", "did you mean \"force\"");
  expect_refusal(bodies_ + contact_ + "stiff = 3\n", "contact[0].stiff");
  expect_refusal(bodies_ + "[device]\nscripts = \"a.csv\"\n", "script");
}

TEST_F(SceneFile, refuses_numbers_out_of_range) {
  expect_refusal("rate_hz = 0\n" + bodies_, "rate_hz: found 0");
  expect_refusal("length_scale = -1\n" + bodies_, "expected a number > 0");
  expect_refusal(bodies_ + contact_ + "stiffness = -200\n", "contact[0].stiffness: found -200");
  expect_refusal(bodies_ + "[coupling]\nstiffness = nan\n", "coupling.stiffness: found nan");
  expect_refusal(bodies_ + "[coupling]\nstatic_damping = 1.0\n", "coupling.static_damping");
  expect_refusal(bodies_ + "[coupling]\nmax_speed = \"fast\"\n", "coupling.max_speed");
  expect_refusal(bodies_ + "[limits]\nforce = 0\n", "limits.force");
  expect_refusal(bodies_ + "[limits]\npower = -1\n", "limits.power");
  expect_refusal(bodies_ + "[limits]\nstale_s = 0\n", "limits.stale_s");
  expect_refusal(bodies_ + "[limits]\nstop_button = 32\n", "limits.stop_button");
  expect_refusal(bodies_ + "[limits]\nstop_s = 0.6\n", "a number from 0 to 0.5 [s]");
  expect_refusal(bodies_ + "[limits]\nimpulse = 0\n", "limits.impulse");
  expect_refusal(bodies_ + "[limits]\noverload_slots = 0\n", "limits.overload_slots");
  expect_refusal(bodies_ + "[limits]\noverload_fraction = 1.1\n", "limits.overload_fraction");
  expect_refusal(bodies_ + "[limits]\noverload_window_s = 0\n", "limits.overload_window_s");
  expect_refusal(bodies_ + "[limits]\nstale_input_s = 0\n", "limits.stale_input_s");
  expect_refusal(bodies_ + "[limits]\nenable_button = -1\n", "limits.enable_button");
  expect_refusal(bodies_ + "[limits]\nstop_button = 3\nenable_button = 3\n",
                 "a button other than stop_button");
  expect_refusal(bodies_ + "orientation = [1, 1, 0, 0]\n", "length 1.41421");
  expect_refusal(bodies_ + "position = [1, 2]\n", "body[1].position");
}

TEST_F(SceneFile, reads_the_dimension_of_a_body) {
  const Scene scene = load(bodies_ + "dimension = 7\n");
  EXPECT_EQ(scene.bodies.back().dimension, 7U);
  EXPECT_FALSE(scene.bodies.front().dimension);
  expect_refusal(bodies_ + "dimension = 0\n", "body[1].dimension: found 0");
}

TEST_F(SceneFile, refuses_bodies_that_do_not_fit) {
  expect_refusal("[[body]]\nname = \"cow\"\nmodel = \"horse.h5\"\nrole = \"anchored\"\n",
                 "found no file " + (std::filesystem::absolute(folder_) / "horse.h5").string());
  expect_refusal("", "found no body with role \"held\"");
  expect_refusal("[[body]]\nname = \"a\"\nmodel = \"cow.h5\"\nrole = \"anchored\"\n",
                 "no body with role \"held\"");
  expect_refusal(bodies_ + "[[body]]\nname = \"b\"\nmodel = \"tool.h5\"\nrole = \"held\"\n",
                 "second held body after \"tool\"");
  expect_refusal(bodies_ + "[[body]]\nname = \"cow\"\nmodel = \"cow.h5\"\nrole = \"anchored\"\n",
                 "second time");
  expect_refusal("[[body]]\nname = \"a\"\nmodel = \"cow.h5\"\nrole = \"hold\"\n", "found \"hold\"");
  expect_refusal("[[body]]\nname = \"a\"\nmodel = \"cow.h5\"\n", "body[0].role: missing");
}

TEST_F(SceneFile, refuses_contacts_that_do_not_fit) {
  expect_refusal(bodies_ + "[[contact]]\npoints = \"cwo\"\nfield = \"tool\"\n", "perhaps \"cow\"");
  expect_refusal(bodies_ + "[[contact]]\npoints = \"cow\"\nfield = \"cow\"\n", "another body");
  expect_refusal(bodies_ + contact_ + contact_, "same pair a second time");
}

TEST_F(SceneFile, refuses_hand_properties_of_a_scripted_hand) {
  expect_refusal(bodies_ + "[device]\nmass = 0.3\n", "hand = \"spring-damper\"");
  expect_refusal(bodies_ + "[device]\nhand = \"spring\"\n", "spring-damper");
}

TEST_F(SceneFile, makes_the_device_it_names) {
  Scene scene = load(bodies_);
  DeviceState state;
  EXPECT_EQ(make_device(scene.device, scene.rate_hz)->sense(state), DeviceStatus::kOk);
  scene.device.name = "falcon9";
  EXPECT_THROW(make_device(scene.device, scene.rate_hz), InputError);
  scene.device.name = "simulated";
  scene.device.script = folder_ / "missing.csv";
  EXPECT_THROW(make_device(scene.device, scene.rate_hz), InputError);
}

}  // namespace
}  // namespace haptic
