// The body in the hand: modes of the coupling, clutch, limits of the device.

#include "rt/bodies/held_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rt/worlds/scene_device.h"
#include "shared/error.h"
#include "tests/rt/worlds/solids/solids_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

class HeldBodyTest : public SolidsWorldTest {};

TEST_F(HeldBodyTest, dynamic_and_static_rest_at_the_same_place) {
  Scene scene = ball_over("plane.h5");
  // With the published scaling there are two balances: 10/29 and 10/37 of the force of a point.
  edit_solids(scene).contacts[0].settings.scaling = ContactScaling::kNone;
  SolidsWorld still(scene, nullptr);
  scene.coupling.mode = CouplingMode::kDynamic;
  SolidsWorld moving(scene, nullptr);
  DeviceState hand = hand_at(1e-3, 0.0, 5e-3);
  hold(still, hand, 1);
  hold(moving, hand, 1);
  hand = hand_at(0.0, 0.0, -1e-3);
  const WorldOutput a = hold(still, hand, 3000), b = hold(moving, hand, 3000);
  ASSERT_GT(state_value(still, "contact/points"), 0.0);
  // Where both have come to rest; the points of the plane leave the flat directions to the hand.
  EXPECT_LE((a.held_pose.position - b.held_pose.position).norm(), 1e-8);
  EXPECT_LE((a.device_wrench.force - b.device_wrench.force).norm(), 1e-5);
  EXPECT_LE(b.held_twist.linear.norm(), 1e-6);
}

TEST_F(HeldBodyTest, the_dynamic_body_has_weight) {
  // The hand jumps 1 mm in free space: a light body follows within cycles, a heavy one swings
  // after.
  Scene scene = ball_over("plane.h5");
  scene.coupling.mode = CouplingMode::kDynamic;
  double gap[2];
  for (int i = 0; i < 2; ++i) {
    scene.coupling.mass = i == 0 ? 1e-4 : 1.0;
    SolidsWorld world(scene, nullptr);
    hold(world, hand_at(0.0, 0.0, 0.05), 1);
    const WorldOutput output = hold(world, hand_at(1e-3, 0.0, 0.05), 20);
    gap[i] = (output.manipulandum_pose.position - output.held_pose.position).norm();
  }
  EXPECT_LT(gap[0], 1e-5);
  EXPECT_GT(gap[1], 0.5e-3);
}

TEST_F(HeldBodyTest, central_differences_are_refused_steps_that_cannot_be_stable) {
  Scene scene = ball_over("soft.h5");
  edit_solids(scene).dynamics.integrator = DynamicsIntegrator::kCentralDifferences;
  scene.rate_hz = 1e5;
  EXPECT_NO_THROW(SolidsWorld(scene, nullptr));
  scene.rate_hz = 1.0;
  try {
    SolidsWorld(scene, nullptr);
    ADD_FAILURE() << "a step of a second";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("found steps of 1 s (1 Hz), expected at most"));
  }
}

TEST_F(HeldBodyTest, the_device_s_rating_limits_what_the_hand_feels) {
  Scene scene = ball_over("point.h5");
  scene.length_scale = 2.0;
  scene.coupling.stiffness = 5000.0;
  scene.coupling.permitted_depth = 1.0;
  edit_solids(scene).contacts[0].settings.stiffness = 1e6;
  scene.coupling.limit_to_device = true;
  DeviceCapabilities device;
  device.max_stiffness = 600.0;
  limit_to_device(scene, device);
  SolidsWorld world(scene, nullptr);
  EXPECT_DOUBLE_EQ(world.coupling().force.stiffness, 300.0);
  hold(world, hand_at(0.0, 0.0, 1e-3), 10);
  const double push = 0.5e-3;
  const double felt = hold(world, hand_at(0.0, 0.0, -push), 200).device_wrench.force.z() / push;
  EXPECT_LE(felt, 600.0);
  EXPECT_GE(felt, 0.99 * 600.0);
  EXPECT_DOUBLE_EQ(world.parameter(kCouplingStiffness), 5000.0);
  EXPECT_TRUE(world.set_parameter(kCouplingStiffness, 100.0));  // below the limit it counts again
  hold(world, hand_at(0.0, 0.0, 1e-3), 200);                    // over material_ramp_s
  EXPECT_DOUBLE_EQ(world.coupling().force.stiffness, 100.0);
}

TEST_F(HeldBodyTest, a_clutch_leaves_the_world_where_it_is) {
  Scene scene = ball_over("plane.h5");
  scene.coupling.clutch_button = 3;
  scene.coupling.clutch_fade_s = 0.1;
  SolidsWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 0.0, 1e-3), 1);
  const WorldOutput before = hold(world, hand_at(0.0, 0.0, -1e-3), 500);
  ASSERT_GT(state_value(world, "contact/points"), 0.0);
  EXPECT_EQ(before.force_scale, 1.0);
  DeviceState hand = hand_at(0.0, 0.0, -1e-3);
  hand.buttons = 1u << 3;
  for (int i = 0; i < 300; ++i) {  // up into the middle of the workspace
    hand.pose.position.z() += 1e-4;
    hand.twist.linear.z() = 0.1;
    const WorldOutput open = hold(world, hand, 1);
    ASSERT_EQ(open.manipulandum_pose.position, before.manipulandum_pose.position);
    ASSERT_LE((open.held_pose.position - before.held_pose.position).norm(), 1e-12);
    ASSERT_EQ(open.force_scale, 0.0);
  }
  hand.buttons = 0;
  const WorldOutput released = hold(world, hand, 1);
  EXPECT_LE((released.manipulandum_pose.position - before.manipulandum_pose.position).norm(),
            1e-12);
  EXPECT_NEAR(released.force_scale, 0.01, 1e-12);
  EXPECT_LE((released.device_wrench.force - before.device_wrench.force).norm(), 1e-9);
  EXPECT_EQ(hold(world, hand, 200).force_scale, 1.0);
}

TEST_F(HeldBodyTest, no_mode_allocates) {
  for (const CouplingMode mode : {CouplingMode::kStatic, CouplingMode::kDynamic}) {
    Scene scene = ball_over("soft.h5");
    scene.coupling.mode = mode;
    scene.coupling.limit_cycle_guard = mode != CouplingMode::kDynamic;
    scene.coupling.clutch_button = 0;
    SolidsWorld world(scene, nullptr);
    WorldOutput output;
    const NoAllocation guard;
    for (int i = 0; i < 300; ++i) ASSERT_EQ(world.step(stroke(i), output), WorldStatus::kOk);
  }
}

}  // namespace
}  // namespace haptic::solids
