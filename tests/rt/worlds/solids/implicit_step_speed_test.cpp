// The speed limit of the held body: it holds back the hand, and is no wall to other bodies.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/rt/worlds/solids/free_bodies_fixture.h"

namespace haptic::solids {
namespace {

class SpeedLimit : public FreeBodies {
 protected:
  static Scene scene_of(const char* model, double stiffness) {
    Scene scene = ball_over(model);
    edit_solids(scene).contacts[0].settings.stiffness = stiffness;
    edit_solids(scene).contacts[0].settings.scaling = ContactScaling::kNone;
    scene.coupling.permitted_depth = 1e-3;
    return scene;
  }
};

TEST_F(SpeedLimit, a_hand_faster_than_the_limit_is_followed_at_the_limit) {
  Scene scene = scene_of("soft.h5", 1e5);
  scene.coupling.max_speed = 0.05;  // 50 um a cycle
  SolidsWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 0.0, 1e-3), 1);
  Vector3 last = world.poses()[1].position;
  for (int i = 0; i < 300; ++i) {
    hold(world, hand_at(0.0, 0.0, -5e-3), 1);
    EXPECT_LE((world.poses()[1].position - last).norm(), 50e-6 * (1.0 + 1e-9));
    last = world.poses()[1].position;
  }
  EXPECT_GT(state_value(world, "contact/points"), 0.0);
}

TEST_F(SpeedLimit, the_speed_limit_leaves_the_forces_in_balance) {
  // A hand that moves and turns far beyond the limits while the ball presses: what it touches
  // carries the coupling's force, not what a body cut short would be pressed into it with.
  for (const char* model : {"plane.h5", "soft.h5"}) {
    Scene scene = scene_of(model, 1e6);
    edit_solids(scene).contacts[0].settings.friction = {0.4, 0.3, {}};
    scene.coupling.max_speed = 0.02;  // 20 um a cycle
    scene.coupling.max_angular_speed = 0.1;
    SolidsWorld world(scene, nullptr);
    WorldOutput output;
    int limited = 0;
    double largest = 0.0;
    for (int i = 0; i < 1500; ++i) {
      DeviceState hand = hand_at(4e-3 * std::sin(0.02 * i), 3e-3 * std::cos(0.03 * i),
                                 std::max(-2e-3, 1e-3 - 1e-5 * i) + 1e-3 * std::sin(0.1 * i));
      hand.pose.orientation = rotation_exponential({0.5 * std::sin(0.05 * i), 0.0, 0.3});
      const Vector3 before = world.poses()[1].position;
      ASSERT_EQ(world.step(hand, output), WorldStatus::kOk);
      if (i < 100) continue;
      limited += (world.poses()[1].position - before).norm() > 0.999 * 20e-6;
      // The ball presses with what the coupling exerts at the start of the step; pushed out faster
      // than the limit, with what the damper holds against that, besides.
      const double gap = (output.manipulandum_pose.position - before).norm();
      largest =
          std::max(largest, output.contact_wrench.force.norm() / (400.0 * std::max(gap, 1e-4)));
    }
    EXPECT_GT(limited, 100) << model;
    EXPECT_LE(largest, 1.3) << model;  // a body cut at the limit: 9.6
  }
}

TEST_F(SpeedLimit, a_body_faster_than_the_limit_pushes_the_held_one_before_it) {
  Scene scene = ground(Vector3::Zero());
  const double z = scene.bodies[1].pose.position.z(), speed = 3.0;
  const std::size_t marble = add(scene, "marble.h5", {0.0, 0.0, z - kRadius - 0.02 - kHalf},
                                 {{0.0, 0.0, speed}, Vector3::Zero()});
  touch(scene, marble, 1, 1e6);
  scene.coupling.max_speed = 0.02;
  SolidsWorld world(scene, nullptr);
  WorldOutput output;
  double fastest = 0.0, largest = 0.0;
  for (int i = 0; i < 12; ++i) {
    const double before = position(world, 1).z();
    ASSERT_EQ(world.step({}, output), WorldStatus::kOk);
    fastest = std::max(fastest, (position(world, 1).z() - before) / kStep);
    largest = std::max(largest, output.contact_wrench.force.norm());
  }
  // At first by the coupling alone, with a static damper as strong as its spring: 800 N/m beside
  // the marble's m / h^2 of 10.5 kN/m.
  EXPECT_NEAR(fastest, speed / (1.0 + 0.8 / 10.47), 0.15 * speed);
  // The spring over the 10 mm of these cycles, and the damper; a wall would stop the marble with
  // 31 N.
  EXPECT_LE(largest, 5.0);
  EXPECT_GT(largest, 1.0);
  // Then the hand brings it back no faster than the limit.
  for (int i = 0; i < 1000; ++i) {
    const double before = position(world, 1).z();
    ASSERT_EQ(world.step({}, output), WorldStatus::kOk);
    if (output.contact_wrench.force.norm() > 0.0) continue;
    EXPECT_LE(std::abs(position(world, 1).z() - before), 0.02 * kStep * (1.0 + 1e-9));
  }
}

}  // namespace
}  // namespace haptic::solids
