// The keys of [[joint]].

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "rt/worlds/solids/solids_settings.h"
#include "tests/rt/worlds/analytic_models.h"
#include "tests/rt/worlds/scene_refusal.h"

namespace haptic::solids {
namespace {

class SceneJointKeys : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(folder_ / "tool.h5") << "model"; }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<SceneJoint> load(const std::string& joints) {
    std::ofstream out(folder_ / "scene.toml");
    for (const auto& [name, role] : {std::pair("hand", "held"), std::pair("arm", "free"),
                                     std::pair("cart", "free"), std::pair("wall", "anchored")}) {
      out << "[[body]]\nname = \"" << name << "\"\nmodel = \"tool.h5\"\nrole = \"" << role
          << "\"\n";
    }
    out << joints;
    out.close();
    return solids_settings(load_scene(folder_ / "scene.toml")).joints;
  }
  /// One joint with these bodies and further keys.
  static std::string joint(const std::string& type, const std::string& keys,
                           const std::string& bodies = "\"world\", \"arm\"") {
    return "[[joint]]\nname = \"elbow\"\ntype = \"" + type + "\"\nbodies = [" + bodies + "]\n" +
           keys;
  }
  void expect_refusal(const std::string& text, const std::string& part) {
    expect_scene_refusal([&] { load(text); }, part);
  }

  std::filesystem::path folder_ = model_folder("scene_joint");
  const std::string place_ = "point = [0.0, 1.0, 2.0]\n", axis_ = "axis = [0.0, 0.0, 2.0]\n";
};

TEST_F(SceneJointKeys, are_read) {
  EXPECT_TRUE(load("").empty());
  SceneJoint ball = load(joint("ball", place_))[0];
  EXPECT_EQ(ball.name, "elbow");
  EXPECT_EQ(ball.first, SceneJoint::kWorld);
  EXPECT_EQ(ball.second, 1U);
  EXPECT_EQ(ball.settings.type, JointType::kBall);
  EXPECT_EQ(ball.settings.point, Vector3(0.0, 1.0, 2.0));
  EXPECT_FALSE(ball.settings.has_target());

  const SceneJoint hinge = load(joint("hinge", place_ + axis_ + R"(
[joint.servo]
stiffness = 20
damping = 0.5
target = -0.25
force_limit = 3
limits = [-0.5, 0.75]
button = 3
pressed = 0.5
speed = 2
)",
                                      "\"arm\", \"hand\""))[0];
  EXPECT_EQ(hinge.settings.type, JointType::kHinge);
  EXPECT_EQ(hinge.first, 1U);
  EXPECT_EQ(hinge.second, 0U);
  EXPECT_EQ(hinge.settings.axis, Vector3::UnitZ());
  ASSERT_TRUE(hinge.settings.servo);
  EXPECT_EQ(hinge.settings.servo->stiffness, 20.0);
  EXPECT_EQ(hinge.settings.servo->damping, 0.5);
  EXPECT_EQ(hinge.settings.servo->force_limit, 3.0);
  EXPECT_EQ(hinge.settings.target, -0.25);
  EXPECT_EQ(hinge.settings.minimum, -0.5);
  EXPECT_EQ(hinge.settings.maximum, 0.75);
  ASSERT_TRUE(hinge.settings.button);
  EXPECT_EQ(hinge.settings.button->button, 3U);
  EXPECT_EQ(hinge.settings.button->target, 0.5);
  EXPECT_EQ(hinge.settings.button->speed, 2.0);

  const SceneJoint slide =
      load(joint("prismatic", place_ + axis_ + "servo = { stiffness = 10 }\n"))[0];
  EXPECT_EQ(slide.settings.type, JointType::kPrismatic);
  EXPECT_FALSE(slide.settings.published_form);
  EXPECT_EQ(slide.settings.servo->damping, 0.0);
  EXPECT_EQ(slide.settings.servo->force_limit, std::numeric_limits<double>::infinity());
  EXPECT_EQ(slide.settings.target, 0.0);
  EXPECT_TRUE(load(joint("prismatic", place_ + axis_ + "form = \"published\"\n"))[0]
                  .settings.published_form);

  const SceneJoint cabin =
      load(joint("orientation", axis_ + "target = 0.5\nlimits = [0.0, 1.0]\n"))[0];
  EXPECT_EQ(cabin.settings.type, JointType::kOrientation);
  EXPECT_EQ(cabin.settings.target, 0.5);
  EXPECT_EQ(cabin.settings.maximum, 1.0);
  EXPECT_TRUE(cabin.settings.has_target());
  EXPECT_FALSE(cabin.settings.button);
  EXPECT_TRUE(load(joint("orientation", axis_ + "button = 0\npressed = 1\nspeed = 1\n"))[0]
                  .settings.button);
}

TEST_F(SceneJointKeys, that_name_bodies_are_checked) {
  const auto bodies = [&](const std::string& names) { return joint("ball", place_, names); };
  expect_refusal(bodies("\"arm\", \"wal\""), "perhaps \"wall\"");
  expect_refusal(bodies("\"arm\", \"arm\""), "found \"arm\" twice");
  expect_refusal(bodies("\"world\", \"world\""), "twice");
  expect_refusal(bodies("\"arm\""), "joint[0].bodies");
  expect_refusal(bodies("\"arm\", 3"), "an array of 2 texts");
  EXPECT_EQ(load(bodies("\"hand\", \"wall\""))[0].second, 3U);
}

TEST_F(SceneJointKeys, that_have_no_meaning_for_the_type_are_refused) {
  expect_refusal(joint("hing", place_ + axis_), "did you mean \"hinge\"");
  expect_refusal("[[joint]]\nname = \"a\"\nbodies = [\"arm\", \"cart\"]\n", "joint[0].type");
  expect_refusal(joint("ball", ""), "joint[0].point");
  expect_refusal(joint("ball", place_ + axis_), "joint[0].axis");
  expect_refusal(joint("ball", place_ + "servo = { stiffness = 1 }\n"), "joint[0].servo");
  expect_refusal(joint("ball", place_ + "target = 1\n"), "joint[0].target");
  expect_refusal(joint("hinge", place_), "joint[0].axis");
  expect_refusal(joint("hinge", place_ + "axis = [0, 0, 0]\n"), "length zero");
  expect_refusal(joint("hinge", place_ + axis_ + "form = \"published\"\n"), "joint[0].form");
  expect_refusal(joint("hinge", place_ + axis_ + "target = 0.1\n"), "a key of its servo");
  expect_refusal(joint("orientation", place_ + axis_), "joint[0].point");
  expect_refusal(joint("orientation", axis_ + "servo = { stiffness = 1 }\n"), "joint[0].servo");
  expect_refusal(joint("hinge", place_ + axis_ + "stifness = 3\n"), "unknown key");
  expect_refusal(joint("ball", place_) + joint("ball", place_), "\"elbow\" a second time");
}

TEST_F(SceneJointKeys, of_a_servo_are_refused_out_of_range) {
  const auto servo = [&](const std::string& keys) {
    return joint("prismatic", place_ + axis_ + "servo = { " + keys + " }\n");
  };
  expect_refusal(servo("damping = 1"), "servo.stiffness");
  expect_refusal(servo("stiffness = 0"), "servo.stiffness");
  expect_refusal(servo("stiffness = 1, damping = -1"), "servo.damping");
  expect_refusal(servo("stiffness = 1, force_limit = 0"), "servo.force_limit");
  expect_refusal(servo("stiffness = 1, limits = [1.0, 0.5]"), "[least, greatest]");
  expect_refusal(servo("stiffness = 1, limits = [0.5, 1.0]"), "servo.target");
  expect_refusal(servo("stiffness = 1, limits = [0.5, 1.0], target = 2"), "from 0.5 to 1");
  expect_refusal(servo("stiffness = 1, gain = 2"), "unknown key");
  expect_refusal(servo("stiffness = 1, pressed = 0.1"), "found no button");
  expect_refusal(servo("stiffness = 1, button = 1, speed = 1"), "servo.pressed");
  expect_refusal(servo("stiffness = 1, button = 1, pressed = 1"), "servo.speed");
  expect_refusal(servo("stiffness = 1, button = 1, pressed = 1, speed = 0"), "servo.speed");
  expect_refusal(servo("stiffness = 1, button = 32, pressed = 1, speed = 1"), "servo.button");
  expect_refusal(servo("stiffness = 1, limits = [0, 1], button = 1, pressed = 2, speed = 1"),
                 "servo.pressed");
  expect_refusal(joint("hinge", place_ + axis_ + "button = 1\n"), "a key of its servo");
  expect_refusal(joint("ball", place_ + "button = 1\n"), "joint[0].button");
  const std::string grip = servo("stiffness = 1, button = 1, pressed = 1, speed = 1");
  EXPECT_EQ(load(grip + "[coupling]\nclutch_button = 2\n[limits]\nstop_button = 3\n").size(), 1U);
  expect_refusal(grip + "[coupling]\nclutch_button = 1\n", "coupling.clutch_button");
  expect_refusal(grip + "[limits]\nstop_button = 1\n", "limits.stop_button");
}

}  // namespace
}  // namespace haptic::solids
