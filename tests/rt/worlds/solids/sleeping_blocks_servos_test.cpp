// Bodies on servos that sleep: never while a target moves or a servo creeps.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/rt/worlds/solids/sleeping_fixture.h"

namespace haptic::solids {
namespace {

/// A cube on a vertical slide with a servo.
struct Lift {
  Scene scene;
  std::size_t cube;
};

class SleepingServos : public Sleeping {
 protected:
  static Lift lift(const Vector3& gravity, double height, const ServoSettings& servo) {
    Lift all{with_sleep(ground(gravity)), 0};
    all.cube = add(all.scene, "cube.h5", {0.0, 0.0, height});
    join(all.scene, JointType::kPrismatic, kWorld, all.cube, {0.0, 0.0, height}, Vector3::UnitZ())
        .servo = servo;
    return all;
  }
};

TEST_F(SleepingServos, a_target_that_moves_more_slowly_than_the_limit_keeps_its_bodies_awake) {
  Lift all = lift(Vector3::Zero(), 1.0, {1e4, 100.0, 1e9});
  // 0.1 mm/s, a tenth of sleep_speed.
  edit_solids(all.scene).joints[0].settings.button = TargetButton{3, 2e-4, 1e-4};
  SolidsWorld world(all.scene, nullptr);
  settle(world, 1.0, 200);
  DeviceState hand;
  hand.buttons = 1u << 3;
  for (int i = 0; i < 2000; ++i) {
    hold(world, hand, 1);
    ASSERT_EQ(asleep(world), 0.0) << i;
  }
  // damping v / stiffness behind, and 1.04 times that with a step of 1 ms (servo_spring).
  EXPECT_NEAR(position(world, all.cube).z(), 1.0 + 2e-4, 1.1e-6);
  hold(world, hand, 200);
  EXPECT_EQ(asleep(world), 1.0);
  // The button is let go.
  hold(world, {}, 1);
  EXPECT_EQ(asleep(world), 0.0);
  hold(world, {}, 2300);
  EXPECT_EQ(asleep(world), 1.0);
  EXPECT_NEAR(position(world, all.cube).z(), 1.0, 1e-6);
}

TEST_F(SleepingServos, a_servo_at_its_limit_rests_and_sleeps_until_its_target_is_within_reach) {
  const double weight = kMass * kG;
  Lift all = lift({0.0, 0.0, -kG}, kHalf - 1e-4, {1e3, 100.0, 0.5 * weight});
  touch(all.scene, all.cube, 0, 1e4, 20.0);
  edit_solids(all.scene).joints[0].settings.target = 0.1;
  SolidsWorld world(all.scene, nullptr);
  settle(world, 1.0, 2000);
  const Vector3 rest = position(world, all.cube);
  // Half of the weight lies on the ground.
  EXPECT_NEAR(kHalf - rest.z(), 0.5 * weight / (1e4 * 16.0), 1e-3 * weight / (1e4 * 16.0));
  hold(world, {}, 1000);
  EXPECT_EQ(position(world, all.cube), rest);
  // The servo presses down as far as it can.
  ASSERT_TRUE(world.set_parameter(parameter(world, "joint0.target"), -0.1));
  hold(world, {}, 1);
  EXPECT_EQ(asleep(world), 0.0);
  settle(world, 1.0, 2000);
  EXPECT_NEAR(kHalf - position(world, all.cube).z(), 1.5 * weight / (1e4 * 16.0),
              1e-3 * weight / (1e4 * 16.0));
  // The same value again changes nothing.
  ASSERT_TRUE(world.set_parameter(parameter(world, "joint0.target"), -0.1));
  hold(world, {}, 10);
  EXPECT_EQ(asleep(world), 1.0);
}

TEST_F(SleepingServos, a_servo_that_creeps_sleeps_where_it_has_no_further_way_than_the_others) {
  // By 1/e in 10 s: from 5 mm at 0.5 mm/s, half of sleep_speed.
  const double time = 10.0, way = 5e-3;
  Lift all = lift(Vector3::Zero(), 1.0, {100.0, 100.0 * time, 1e9});
  edit_solids(all.scene).joints[0].settings.target = way;
  SolidsWorld world(all.scene, nullptr);
  int steps = 0;
  while (asleep(world) == 0.0 && steps < 100000) {
    hold(world, {}, 1);
    ++steps;
  }
  const double left = 1.0 + way - position(world, all.cube).z();
  EXPECT_GT(left, 0.0);
  EXPECT_LE(left, kSpeed * kTime);
  // It has been slow enough for sleep_s, 1 % of its time.
  EXPECT_GE(left, 0.98 * kSpeed * kTime);
  EXPECT_NEAR(steps * kStep, time * std::log(way / left), 0.01 * time);
}

TEST_F(SleepingServos, an_orientation_wakes_by_its_target) {
  Scene scene = with_sleep(ground(Vector3::Zero()));
  const std::size_t body = add(scene, "slab.h5", {0.0, 0.0, 1.0});
  const std::size_t carried = add(scene, "cube.h5", {0.03, 0.0, 1.0});
  join(scene, JointType::kOrientation, kWorld, body, Vector3::Zero());
  join(scene, JointType::kHinge, body, carried, {0.02, 0.0, 1.0}).servo =
      ServoSettings{1.0, 0.05, 1e9};
  SolidsWorld world(scene, nullptr);
  settle(world, 2.0, 200);
  ASSERT_TRUE(world.set_parameter(parameter(world, "joint0.target"), 0.5));
  hold(world, {}, 1);
  EXPECT_EQ(asleep(world), 0.0);
  hold(world, {}, 400);
  EXPECT_NEAR(rotation_logarithm(world.poses()[body].orientation).norm(), 0.5, 1e-9);
}

TEST_F(SleepingServos, a_servo_between_the_hand_and_a_body_never_sleeps) {
  Scene scene = with_sleep(ground(Vector3::Zero()));
  const std::size_t body = add(scene, "cube.h5", {0.0, 0.0, 1.95});
  const std::size_t next = add(scene, "cube.h5", {0.0, 0.0, 1.92});
  join(scene, JointType::kHinge, 1, body, {0.0, 0.0, 1.97}).servo = ServoSettings{1.0, 0.05, 1e9};
  join(scene, JointType::kBall, body, next, {0.0, 0.0, 1.935});
  SolidsWorld world(scene, nullptr);
  hold(world, {}, 1000);
  EXPECT_EQ(asleep(world), 0.0);
  EXPECT_EQ(world.implicit_step()->joints().awake().size(), 2u);
}

/// Then what falls asleep in one step and wakes in the next would lose its momentum in each.
TEST_F(SleepingServos, what_is_driven_or_pulled_does_not_sleep_for_a_single_step) {
  for (const bool pulled : {false, true}) {
    Lift all = lift(Vector3::Zero(), 1.0, {0.4, 0.4, 1e9});
    all.scene.rate_hz = 20.0;
    edit_solids(all.scene).dynamics.sleep_s = 0.05;  // a step
    edit_solids(all.scene).dynamics.material_ramp_s = 60.0;
    edit_solids(all.scene).joints[0].settings.minimum = -1.0;
    SolidsWorld world(all.scene, nullptr), awake(
                                               [&] {
                                                 Scene scene = all.scene;
                                                 edit_solids(scene).dynamics.sleep_speed = 0.0;
                                                 return scene;
                                               }(),
                                               nullptr);
    hold(world, {}, 2);
    hold(awake, {}, 2);
    EXPECT_EQ(asleep(world), 1.0);
    for (SolidsWorld* each : {&world, &awake}) {
      if (pulled) {
        pull(*each, all.cube, {0.0, 0.0, 5e-4}, 1.0);
      } else {
        ASSERT_TRUE(each->set_parameter(parameter(*each, "joint0.target"), 5e-3));
      }
    }
    for (int i = 0; i < 200; ++i) {
      hold(world, {}, 1);
      hold(awake, {}, 1);
      ASSERT_EQ(asleep(world), 0.0) << pulled << " " << i;
      ASSERT_EQ(position(world, all.cube), position(awake, all.cube)) << pulled << " " << i;
    }
    EXPECT_GT(position(world, all.cube).z(), 1.0 + 1e-4);
  }
}

TEST_F(SleepingServos, a_chain_on_dampers_almost_without_stiffness_sleeps_at_last) {
  Scene scene = ground();
  hang_chain(scene, kWorld, 4, 0.0, 0.1);
  for (SceneJoint& joint : edit_solids(scene).joints) {
    joint.settings.servo = ServoSettings{kServoDamping / 1e4, kServoDamping, 1e9};
  }
  SolidsWorld world(with_sleep(scene), nullptr);
  // Below 1e-8 m/s: the motion decays so far, and joints that close to 1e-9 of a box allow it.
  settle(world, 4.0, 60000);
}

}  // namespace
}  // namespace haptic::solids
