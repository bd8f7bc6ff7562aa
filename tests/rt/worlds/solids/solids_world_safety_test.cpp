// What the loop relies on: same bytes, no allocation, faults that keep the state, checked inputs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "rt/worlds/make_world.h"
#include "rt/worlds/solids/solids_world.h"
#include "shared/error.h"
#include "tests/rt/worlds/solids/solids_world_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

using SolidsWorldSafety = SolidsWorldTest;

TEST_F(SolidsWorldSafety, two_runs_give_the_same_bytes) {
  const Scene scene = ball_over("soft.h5");
  const std::unique_ptr<World> a = make_world(scene, nullptr), b = make_world(scene, nullptr);
  for (int i = 0; i < 5000; ++i) {
    WorldOutput out_a, out_b;
    ASSERT_EQ(a->step(stroke(i), out_a), WorldStatus::kOk);
    ASSERT_EQ(b->step(stroke(i), out_b), WorldStatus::kOk);
    ASSERT_EQ(std::memcmp(out_a.device_wrench.force.data(), out_b.device_wrench.force.data(),
                          3 * sizeof(double)),
              0);
    ASSERT_EQ(std::memcmp(out_a.device_wrench.torque.data(), out_b.device_wrench.torque.data(),
                          3 * sizeof(double)),
              0);
    ASSERT_EQ(std::memcmp(out_a.contact_wrench.force.data(), out_b.contact_wrench.force.data(),
                          3 * sizeof(double)),
              0);
    for (std::size_t block = 0; block < a->state_layout().blocks().size(); ++block) {
      ASSERT_TRUE(std::ranges::equal(a->state(block), b->state(block)));
    }
    ASSERT_EQ(out_a.times.touch_ns, 0);
  }
}

TEST_F(SolidsWorldSafety, reset_returns_to_the_start) {
  const Scene scene = ball_over("soft.h5");
  SolidsWorld world(scene, nullptr);
  std::vector<double> forces;
  for (int run = 0; run < 2; ++run) {
    WorldOutput output;
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(world.step(stroke(i), output), WorldStatus::kOk);
    forces.push_back(output.device_wrench.force.z());
    world.reset();
    for (const double q : world.coordinates()) EXPECT_EQ(q, 0.0);
  }
  EXPECT_EQ(forces[0], forces[1]);
}

TEST_F(SolidsWorldSafety, a_step_does_not_allocate) {
  const Scene scene = ball_over("soft.h5");
  SolidsWorld world(scene, nullptr);
  WorldOutput output;
  int failures = 0;
  double contacts = 0.0;
  NoAllocation guard;
  for (int i = 0; i < 2000; ++i) {
    failures += world.step(stroke(i), output) != WorldStatus::kOk;
    contacts = std::max(contacts, state_value(world, "contact/points"));
    failures += !world.set_parameter(kCouplingStiffness, 400.0 + i % 7);
  }
  world.reset();
  EXPECT_EQ(failures, 0);
  EXPECT_GT(contacts, 0.0);
}

TEST_F(SolidsWorldSafety, a_hand_that_is_not_finite_changes_nothing) {
  const Scene scene = ball_over("soft.h5");
  SolidsWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 0.0, -1e-3), 200);
  const Pose before = world.poses()[1];
  const double q = world.coordinates()[2], points = state_value(world, "contact/points");
  EXPECT_GT(points, 0.0);
  DeviceState lost;
  lost.pose.position.y() = std::numeric_limits<double>::quiet_NaN();
  WorldOutput output;
  EXPECT_EQ(world.step(lost, output), WorldStatus::kNotFinite);
  lost = DeviceState{};
  lost.pose.orientation = Quaternion(0.0, 0.0, 0.0, 0.0);
  EXPECT_EQ(world.step(lost, output), WorldStatus::kNotFinite);
  EXPECT_EQ(output.device_wrench.force, Vector3(Vector3::Zero()));
  EXPECT_EQ(output.device_wrench.torque, Vector3(Vector3::Zero()));
  EXPECT_EQ(world.poses()[1].position, before.position);
  EXPECT_EQ(world.coordinates()[2], q);
  EXPECT_EQ(state_value(world, "contact/points"), points);
  EXPECT_EQ(world.step(hand_at(0.0, 0.0, -1e-3), output), WorldStatus::kOk);
}

TEST_F(SolidsWorldSafety, a_deformable_that_runs_away_is_a_fault_with_the_last_good_state) {
  Scene scene = ball_over("unstable.h5");
  SolidsWorld world(scene, nullptr);
  hold(world, hand_at(0.0, 0.0, 1e-3), 1);
  WorldOutput output;
  WorldStatus status = WorldStatus::kOk;
  for (int i = 0; i < 20000 && status == WorldStatus::kOk; ++i)
    status = world.step(hand_at(0.0, 0.0, -1e-3), output);
  EXPECT_NE(status, WorldStatus::kOk);
  EXPECT_EQ(output.device_wrench.force, Vector3(Vector3::Zero()));
  for (const double q : world.coordinates()) EXPECT_TRUE(std::isfinite(q));
  EXPECT_TRUE(is_finite(world.poses()[1]));
}

TEST_F(SolidsWorldSafety, parameters_are_range_checked_and_act) {
  const Scene scene = ball_over("point.h5");
  SolidsWorld world(scene, nullptr);
  ASSERT_EQ(world.parameters().size(), 4U);
  EXPECT_EQ(world.parameters()[kContactStiffness].name, "contact.stiffness");
  EXPECT_EQ(world.parameter(kCouplingStiffness), 400.0);
  EXPECT_EQ(world.parameter(kCouplingRotationalStiffness), 0.5);
  EXPECT_EQ(world.parameter(kCouplingStaticDamping), 0.5);  // in contact
  EXPECT_EQ(world.parameter(kContactStiffness), 200.0);
  for (std::size_t i = 0; i < 4; ++i) {
    const double before = world.parameter(i);
    EXPECT_FALSE(world.set_parameter(i, world.parameters()[i].minimum - 1e-3));
    EXPECT_FALSE(world.set_parameter(i, world.parameters()[i].maximum * 1.001));
    EXPECT_FALSE(world.set_parameter(i, std::numeric_limits<double>::quiet_NaN()));
    EXPECT_EQ(world.parameter(i), before);
  }
  EXPECT_FALSE(world.set_parameter(4, 1.0));
  ASSERT_TRUE(world.set_parameter(kContactStiffness, 500.0));
  ASSERT_TRUE(world.set_parameter(kCouplingStiffness, 700.0));
  hold(world, hand_at(0.0, 0.0, 1e-3), 200);  // over material_ramp_s
  EXPECT_EQ(world.coupling().force.maximum, scene.limits.force);
  EXPECT_EQ(world.coupling().static_damping, 0.0);                // in the air, as none is typed
  ASSERT_TRUE(world.set_parameter(kCouplingStaticDamping, 0.5));  // the value that is shown
  hold(world, hand_at(0.0, 0.0, 1e-3), 2);
  EXPECT_EQ(world.coupling().static_damping, 0.5);
  ASSERT_TRUE(world.set_parameter(kCouplingStaticDamping, 0.8));
  hold(world, hand_at(0.0, 0.0, 1e-3), 200);
  EXPECT_NEAR(world.coupling().static_damping, 0.8, 1e-12);  // everywhere, as it is typed now
  ASSERT_TRUE(world.set_parameter(kCouplingStaticDamping, 0.5));
  hold(world, hand_at(0.0, 0.0, 1e-3), 200);
  const WorldOutput output = hold(world, hand_at(0.0, 0.0, -0.1e-3), 120);
  EXPECT_NEAR(output.device_wrench.force.z(), 0.1e-3 / (1.0 / 500.0 + 1.0 / 700.0), 1e-6);
}

TEST_F(SolidsWorldTest, bodies_get_what_the_hand_feels_up_to_a_limit_that_an_operator_changes) {
  Scene scene = ball_over("plane.h5");
  scene.limits.force = 4.0;
  SolidsWorld world(scene, nullptr);
  // 400 N/m of the coupling, 30 mm: 12 N.
  const auto force = [&] { return hold(world, hand_at(0.0, 0.0, -30e-3), 400); };
  EXPECT_NEAR(force().contact_wrench.force.z(), 4.0, 1e-6);
  EXPECT_EQ(state_value(world, "coupling/excess"), 0.0);
  world.limit_wrench(8.0, 0.0);
  EXPECT_NEAR(force().contact_wrench.force.z(), 8.0, 1e-6);
  EXPECT_EQ(state_value(world, "coupling/excess"), 0.0);
  world.limit_wrench(100.0, 0.0);
  const WorldOutput output = force();
  EXPECT_NEAR(output.contact_wrench.force.z() / output.device_wrench.force.z(), 1.0, 1e-3);
  EXPECT_EQ(state_value(world, "coupling/excess"), 0.0);
  world.limit_wrench(4.0, 0.0);
  EXPECT_NEAR(force().contact_wrench.force.z(), 4.0, 1e-6);
}

// The message with which a world is refused.
std::string message_of_refusal(const Scene& scene) {
  try {
    SolidsWorld world(scene, nullptr);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST_F(SolidsWorldSafety, refuses_models_that_lack_what_their_role_needs) {
  Scene scene = ball_over("plane.h5");
  edit_solids(scene).contacts = {{1, 0, {200.0}}};
  EXPECT_NE(message_of_refusal(scene).find("plane.h5 has no distance field"), std::string::npos)
      << message_of_refusal(scene);
  scene = ball_over("plane.h5");
  scene.bodies[0].model = folder_ / "missing.h5";
  EXPECT_NE(message_of_refusal(scene).find("missing.h5"), std::string::npos)
      << message_of_refusal(scene);
}

}  // namespace
}  // namespace haptic::solids
