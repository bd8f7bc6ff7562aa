// An operator changes the coupling while the hand leans on something: by a ramp, and what the
// spring gains without a motion the passivity controller takes back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rt/coupling/passivity_controller.h"
#include "tests/rt/worlds/solids/solids_world_fixture.h"

namespace haptic::solids {
namespace {

constexpr double kPush = 1e-3;  // m

class ParameterRamp : public SolidsWorldTest {
 protected:
  /// Hard ground, so that the hand feels the coupling's spring alone: 400 N/m, 0.2 s a change.
  static Scene hard_ground() {
    Scene scene = ball_over("point.h5");
    scene.coupling.permitted_depth = 1.0;
    edit_solids(scene).contacts[0].settings.stiffness = 1e6;
    return scene;
  }
};

TEST_F(ParameterRamp, a_coupling_changes_to_its_new_stiffness_linearly) {
  SolidsWorld world(hard_ground(), nullptr);
  hold(world, hand_at(0.0, 0.0, kPush), 10);
  double force = hold(world, hand_at(0.0, 0.0, -kPush), 300).device_wrench.force.z();
  ASSERT_NEAR(force, 400.0 * kPush, 0.01);
  ASSERT_TRUE(world.set_parameter(kCouplingStiffness, 600.0));
  EXPECT_EQ(world.parameter(kCouplingStiffness), 400.0);
  double largest_step = 0.0;
  for (int k = 1; k <= 200; ++k) {
    const double next = hold(world, hand_at(0.0, 0.0, -kPush), 1).device_wrench.force.z();
    largest_step = std::max(largest_step, std::abs(next - force));
    force = next;
    ASSERT_NEAR(world.parameter(kCouplingStiffness), 400.0 + k, 1e-9);
  }
  EXPECT_EQ(world.parameter(kCouplingStiffness), 600.0);
  // 200 N/m over 200 cycles on 1 mm; at once it would be 0.2 N.
  EXPECT_LE(largest_step, 1.1e-3);
  EXPECT_NEAR(hold(world, hand_at(0.0, 0.0, -kPush), 100).device_wrench.force.z(), 600.0 * kPush,
              0.01);
}

TEST_F(ParameterRamp, every_parameter_of_the_world_is_ramped_and_a_reset_ends_the_ramp) {
  SolidsWorld world(hard_ground(), nullptr);
  hold(world, hand_at(0.0, 0.0, kPush), 10);
  const double targets[] = {500.0, 0.7, 0.3, 5e5};
  for (std::size_t i = 0; i < kSolidsParameterCount; ++i) {
    const double before = world.parameter(i);
    ASSERT_TRUE(world.set_parameter(i, targets[i]));
    hold(world, hand_at(0.0, 0.0, kPush), 50);
    EXPECT_NEAR(world.parameter(i), before + 0.25 * (targets[i] - before), 1e-9 * targets[i]);
  }
  world.reset();
  for (std::size_t i = 0; i < kSolidsParameterCount; ++i) {
    EXPECT_EQ(world.parameter(i), targets[i]);
  }
  EXPECT_EQ(world.coupling().force.stiffness, 500.0);
}

TEST_F(ParameterRamp, every_contact_ramps_from_its_present_stiffness) {
  Scene scene = ball_over("point.h5");  // 200 N/m
  scene.bodies.push_back({"mat", folder_ / "point.h5", BodyRole::kAnchored, {}});
  scene.bodies.back().pose = Pose{};
  edit_solids(scene).contacts.push_back({2, 1, {800.0}});
  SolidsWorld world(scene, nullptr);
  const auto stiffness = [&](std::size_t pair) { return world.pairs()[pair].contact.stiffness(); };
  hold(world, hand_at(0.0, 0.0, kPush), 10);
  ASSERT_TRUE(world.set_parameter(kContactStiffness, 400.0));
  for (int k = 1; k <= 200; ++k) {
    hold(world, hand_at(0.0, 0.0, kPush), 1);
    ASSERT_NEAR(stiffness(0), 200.0 + k, 1e-9);
    ASSERT_NEAR(stiffness(1), 800.0 - 2.0 * k, 1e-9);
    ASSERT_EQ(world.parameter(kContactStiffness), stiffness(0));
  }
  ASSERT_TRUE(world.set_parameter(kContactStiffness, 100.0));
  world.reset();
  EXPECT_EQ(stiffness(0), 100.0);
  EXPECT_EQ(stiffness(1), 100.0);
}

/// Energy the hand has got out of the port [J] after it leaned on the ground, the stiffness rose
/// and it went away again.
double energy_got_out(SolidsWorld& world, bool passive) {
  PassivitySettings settings;
  settings.enabled = passive;
  settings.max_damping = 50.0;
  PassivityController port(settings, 1e-3, false);
  double z = kPush;
  port.begin({{0.0, 0.0, z}, Quaternion::Identity()});
  const auto step = [&](double to) {
    z = to;
    DeviceState hand;
    hand.pose.position.z() = z;
    WorldOutput output;
    EXPECT_EQ(world.step(hand, output), WorldStatus::kOk);
    port.observe(hand.pose);
    const Wrench added = port.control(output.device_wrench, output.stored_energy_J, 0.0);
    port.sent({output.device_wrench.force + added.force, Vector3::Zero()});
  };
  constexpr double kSlow = 1e-5;  // m a cycle
  while (z > -kPush) step(z - kSlow);
  for (int k = 0; k < 100; ++k) step(z);
  EXPECT_TRUE(world.set_parameter(kCouplingStiffness, 600.0));
  for (int k = 0; k < 300; ++k) step(z);
  while (z < kPush) step(z + kSlow);
  return -port.energy();
}

TEST_F(ParameterRamp, what_a_stiffer_spring_gains_is_taken_back) {
  SolidsWorld active(hard_ground(), nullptr), passive(hard_ground(), nullptr);
  // Half of 200 N/m on 1 mm.
  EXPECT_NEAR(energy_got_out(active, false), 1e-4, 2e-5);
  EXPECT_LE(energy_got_out(passive, true), 5e-6);
}

}  // namespace
}  // namespace haptic::solids
