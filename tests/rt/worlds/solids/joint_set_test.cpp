// Servos and targets, joints with the hand, and what is refused.

#include "rt/worlds/solids/joint_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "rt/worlds/scene.h"
#include "shared/error.h"
#include "tests/rt/worlds/solids/jointed_bodies_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

TEST_F(JointedBodies, an_orientation_is_held_and_driven) {
  Scene scene = ground();
  const std::size_t body = add(scene, "slab.h5", {0.0, 0.0, 1.0}, {{0, 0, 0}, {1.0, 2.0, 3.0}});
  const Vector3 axis = Vector3(1.0, 1.0, 0.0).normalized();
  JointSettings& settings =
      join(scene, JointType::kOrientation, kWorld, body, Vector3::Zero(), axis);
  settings.minimum = -1.0;
  settings.maximum = 2.0;
  SolidsWorld world(scene, nullptr);
  hold(world, {}, 100);
  EXPECT_LE(rotation_logarithm(world.poses()[body].orientation).norm(), 1e-9);
  const std::size_t target = parameter(world, "joint0.target");
  ASSERT_LT(target, world.parameters().size());
  EXPECT_TRUE(world.set_parameter(target, 1.5));
  hold(world, {}, 500);
  EXPECT_NEAR(world.parameter(target), 1.5, 1e-12);
  EXPECT_LE((rotation_logarithm(world.poses()[body].orientation) - 1.5 * axis).norm(), 1e-9);
  EXPECT_FALSE(world.set_parameter(target, 2.5));
  const World::Range allowed = world.allowed(target, 2.5);
  EXPECT_EQ(allowed.minimum, -1.0);
  EXPECT_EQ(allowed.maximum, 2.0);
  // Its centre falls freely.
  EXPECT_NEAR(position(world, body).z(), 1.0 - 0.5 * kG * 600.0 * 601.0 * kStep * kStep, 1e-9);
}

TEST_F(JointedBodies, a_servo_of_any_stiffness_reaches_its_target_and_stays_within_its_limits) {
  for (const double stiffness : {2.0, 1e3, 1e8}) {
    Scene scene = ground();
    const Vector3 pivot(0.0, 0.0, 1.0);
    const std::size_t arm = add(scene, "cube.h5", pivot + Vector3(0.05, 0.0, 0.0));
    JointSettings& hinge = join(scene, JointType::kHinge, kWorld, arm, pivot);
    hinge.servo = ServoSettings{stiffness, 0.1, 1e9};
    hinge.minimum = -1.0;
    hinge.maximum = 1.0;
    SolidsWorld world(scene, nullptr);
    const std::size_t target = parameter(world, "joint0.target");
    ASSERT_LT(target, world.parameters().size());
    EXPECT_TRUE(world.set_parameter(target, -0.8));
    EXPECT_FALSE(world.set_parameter(target, -1.2));
    hold(world, {}, 3000);
    const double angle = rotation_logarithm(world.poses()[arm].orientation).y();
    // The weight turns it on by a torque of at most 0.2 N m.
    EXPECT_NEAR(angle, -0.8, 0.008 + 0.2 / stiffness) << stiffness;
    const double rest = angle;
    hold(world, {}, 100);
    EXPECT_NEAR(rotation_logarithm(world.poses()[arm].orientation).y(), rest, 1e-9);
    EXPECT_TRUE(world.set_parameter(target, 1.0));
    hold(world, {}, 3000);
    EXPECT_NEAR(rotation_logarithm(world.poses()[arm].orientation).y(), 1.0,
                0.01 + 0.2 / stiffness);
  }
}

TEST_F(JointedBodies, a_servo_lifts_what_its_force_limit_carries) {
  for (const double share : {0.9, 1.1}) {
    Scene scene = ground();
    const std::size_t load = add(scene, "cube.h5", {0.0, 0.0, 1.0});
    JointSettings& slide =
        join(scene, JointType::kPrismatic, kWorld, load, {0.0, 0.0, 1.0}, Vector3::UnitZ());
    slide.servo = ServoSettings{1e5, 2e3, share * kMass * kG};
    slide.target = 0.02;
    SolidsWorld world(scene, nullptr);
    hold(world, {}, share < 1.0 ? 300 : 1000);
    const double moved = position(world, load).z() - 1.0;
    if (share < 1.0) {
      // It falls with what the servo does not carry.
      EXPECT_NEAR(moved, -0.1 * kG * 0.5 * 300.0 * 301.0 * kStep * kStep, 1e-9);
    } else {
      EXPECT_NEAR(moved, 0.02, 0.01 * 0.02);
    }
  }
}

TEST_F(JointedBodies, a_button_moves_a_target_at_its_speed_while_it_is_pressed) {
  Scene scene = ground(Vector3::Zero());
  const std::size_t arm = add(scene, "cube.h5", {0.0, 0.0, 1.0});
  JointSettings& hinge = join(scene, JointType::kHinge, kWorld, arm, {0.0, 0.0, 1.0});
  hinge.servo = ServoSettings{1e4, 10.0};
  hinge.button = TargetButton{3, 0.5, 1.0};
  SolidsWorld world(scene, nullptr);
  const std::size_t target = parameter(world, "joint0.target");
  DeviceState pressed;
  pressed.buttons = 1u << 3;
  DeviceState other;
  other.buttons = ~(1u << 3);
  hold(world, other, 100);
  EXPECT_EQ(world.parameter(target), 0.0);
  hold(world, pressed, 200);
  EXPECT_NEAR(world.parameter(target), 0.2, 1e-12);
  hold(world, other, 100);
  EXPECT_NEAR(world.parameter(target), 0.1, 1e-12);
  hold(world, pressed, 1000);
  EXPECT_EQ(world.parameter(target), 0.5);
  EXPECT_NEAR(rotation_logarithm(world.poses()[arm].orientation).y(), 0.5, 1e-6);
  // What is set meanwhile counts once it is released.
  EXPECT_TRUE(world.set_parameter(target, -0.25));
  hold(world, pressed, 100);
  EXPECT_EQ(world.parameter(target), 0.5);
  hold(world, other, 700);
  EXPECT_NEAR(world.parameter(target), -0.2, 1e-12);
  hold(world, other, 100);
  EXPECT_EQ(world.parameter(target), -0.25);
  hold(world, pressed, 100);
  world.reset();
  EXPECT_EQ(world.parameter(target), -0.25);
}

TEST_F(JointedBodies, a_servo_counts_turns) {
  Scene scene = ground(Vector3::Zero());
  const std::size_t wheel = add(scene, "slab.h5", {0.0, 0.0, 1.0});
  JointSettings& hinge = join(scene, JointType::kHinge, kWorld, wheel, {0.0, 0.0, 1.0});
  hinge.servo = ServoSettings{1.0, 0.01, 1e9};
  hinge.target = 0.0;
  Scene turning = scene;
  edit_solids(turning).dynamics.material_ramp_s = 2.0;
  SolidsWorld world(turning, nullptr);
  EXPECT_TRUE(world.set_parameter(parameter(world, "joint0.target"), 20.0));
  hold(world, {}, 5000);
  EXPECT_NEAR(world.implicit_step()->joints().coordinate(0), 20.0, 1e-3);
  world.reset();
  hold(world, {}, 1);
  EXPECT_EQ(world.parameter(parameter(world, "joint0.target")), 20.0);
}

TEST_F(JointedBodies, the_hand_carries_one_and_feels_its_weight) {
  Scene scene = ground();
  scene.bodies[1].pose.position.z() = 0.5;
  const std::size_t cube = add(scene, "cube.h5", {0.0, 0.0, 0.46});
  join(scene, JointType::kBall, 1, cube, {0.0, 0.0, 0.48});
  SolidsWorld world(scene, nullptr);
  WorldOutput output;
  for (int i = 0; i < 3000; ++i) {
    output = hold(world, hand_at(1e-5 * std::min(i, 1000), 0.0, 0.0), 1);
    const Vector3 held = world.poses()[1].to_world({0.0, 0.0, -0.02});
    EXPECT_LE((world.poses()[cube].to_world({0.0, 0.0, 0.02}) - held).norm(), 1e-10) << i;
  }
  // It swings about the hand; the mean of its last swings of 0.4 s is its weight.
  double felt = 0.0, pulled = 0.0;
  for (int i = 0; i < 4000; ++i) {
    output = hold(world, hand_at(0.01, 0.0, 0.0), 1);
    felt += output.device_wrench.force.z() / 4000.0;
    pulled += output.contact_wrench.force.z() / 4000.0;
  }
  EXPECT_NEAR(felt, -kMass * kG, 0.02 * kMass * kG);
  EXPECT_NEAR(pulled, -kMass * kG, 0.02 * kMass * kG);
}

TEST_F(JointedBodies, what_the_hand_is_placed_away_from_follows_at_a_limited_speed) {
  Scene scene = ground(Vector3::Zero());
  const std::size_t cube = add(scene, "cube.h5", {0.0, 0.0, 1.96});
  join(scene, JointType::kBall, 1, cube, {0.0, 0.0, 1.98});
  SolidsWorld world(scene, nullptr);
  const DeviceState away = hand_at(0.1, 0.0, 0.0);
  double fastest = 0.0;
  for (int i = 0; i < 2000; ++i) {
    hold(world, away, 1);
    fastest = std::max(fastest, world.free_bodies()[0]->momentum().norm() / kMass);
  }
  EXPECT_LE(fastest, 1.0);  // 0.5 m/s of the joint's point, and the cube swings
  const Vector3 held = world.poses()[1].to_world({0.0, 0.0, -0.02});
  EXPECT_LE((world.poses()[cube].to_world({0.0, 0.0, 0.02}) - held).norm(), 1e-10);
}

TEST_F(JointedBodies, a_hand_faster_than_its_body_pulls_a_jointed_one_along) {
  Scene scene = ground();
  const std::size_t cube = add(scene, "cube.h5", {0.0, 0.0, 1.96});
  join(scene, JointType::kBall, 1, cube, {0.0, 0.0, 1.98});
  SolidsWorld world(scene, nullptr);
  hold(world, {}, 10);
  // Hundreds of times the largest step of the held body, 0.6 mm: it is damped. Where it turns back,
  // the momentum of the cube's swing carries it on faster.
  for (int i = 0; i < 600; ++i) {
    const Vector3 before = world.poses()[1].position;
    hold(world, hand_at(i % 200 < 100 ? 0.3 : -0.3, 0.0, 0.1), 1);
    const Pose& held = world.poses()[1];
    EXPECT_LE((held.position - before).norm(), 2.0 * 0.6e-3);
    const Vector3 grip = held.to_world({0.0, 0.0, -0.02});
    EXPECT_LE((world.poses()[cube].to_world({0.0, 0.0, 0.02}) - grip).norm(), 1e-10) << i;
  }
}

TEST_F(JointedBodies, the_example_of_the_manual_lifts_its_load) {
  const Scene scene = parse_scene(R"(
[[body]]
name = "hand"
shape = "sphere"
radius = 0.01
role = "held"
position = [1.0, 0.0, 0.0]

[[body]]
name = "load"
model = "cube.h5"
role = "free"
position = [0.0, 0.1, 0.0]

[[joint]]
name = "lift"
type = "prismatic"
bodies = ["world", "load"]
point = [0.0, 0.1, 0.0]         # m, world
axis = [0.0, 1.0, 0.0]          # the target counts along it
servo = { stiffness = 1e4, damping = 200.0, force_limit = 20.0, limits = [0.0, 0.05] }
)",
                                  folder_ / "lift.toml");
  SolidsWorld world(scene, nullptr);
  EXPECT_TRUE(world.set_parameter(parameter(world, "lift.target"), 0.02));
  hold(world, {}, 1000);
  EXPECT_NEAR(position(world, 1).y(), 0.12 - kMass * kG / 1e4, 1e-6);
}

TEST_F(JointedBodies, a_run_is_repeated_after_a_reset_and_no_step_allocates) {
  Scene scene = ground();
  const std::size_t a = add(scene, "cube.h5", {0.0, 0.0, 0.02}, {{0.1, 0, 0}, {3, 2, 1}});
  const std::size_t b = add(scene, "slab.h5", {0.03, 0.0, 0.02});
  join(scene, JointType::kHinge, a, b, {0.015, 0.0, 0.02}).servo = ServoSettings{1.0, 0.01, 0.05};
  join(scene, JointType::kPrismatic, a, b, {0.015, 0.0, 0.02}).published_form = true;
  touch(scene, a, 0, 1e5, 10.0, {0.4, 0.4, {}});
  touch(scene, b, 0, 1e5, 10.0, {0.4, 0.4, {}});
  SolidsWorld world(scene, nullptr);
  Vector3 ends[2];
  for (Vector3& end : ends) {
    world.reset();
    WorldOutput output;
    {
      NoAllocation guard;
      EXPECT_TRUE(world.set_parameter(world.parameters().size() - 1, 0.1));
      for (int i = 0; i < 500; ++i) EXPECT_EQ(world.step({}, output), WorldStatus::kOk);
    }
    end = position(world, b);
    EXPECT_TRUE(world.set_parameter(world.parameters().size() - 1, 0.0));
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST_F(JointedBodies, what_cannot_be_is_refused_in_one_line) {
  using testing::HasSubstr;
  Scene scene = ground();
  const std::size_t cube = add(scene, "cube.h5", {0.0, 0.0, 1.0});
  scene.bodies.push_back({"cushion", folder_ / "soft.h5", BodyRole::kAnchored, {}});
  Scene still = scene;
  join(scene, JointType::kHinge, cube, 3, {});
  EXPECT_THAT(refusal(scene), HasSubstr("\"cushion\", which deforms"));
  join(still, JointType::kBall, 0, kWorld, {});
  EXPECT_THAT(refusal(still), HasSubstr("found \"ground\" and \"world\", which do not move"));

  Scene held = ground();
  join(held, JointType::kPrismatic, 1, kWorld, {0.0, 0.0, 2.0}).servo = ServoSettings{1.0, 0.0};
  EXPECT_EQ(refusal(held), "");
  Scene explicitly = held;
  edit_solids(explicitly).dynamics.implicit_contact = false;
  EXPECT_THAT(refusal(explicitly), HasSubstr("a joint with dynamics.contact = \"explicit\""));
  Scene tangent = held;
  tangent.coupling.saturation_gradient = SaturationGradient::kTangent;
  EXPECT_THAT(refusal(tangent), HasSubstr("joint0"));
  Scene twice = held;
  edit_solids(twice).joints.push_back(solids_settings(held).joints[0]);
  EXPECT_THAT(refusal(twice), HasSubstr("joint0.target a second time"));
}

}  // namespace
}  // namespace haptic::solids
