// Bodies that sleep: when they fall asleep, what wakes them, and that nothing else changes.

#include "rt/worlds/solids/sleeping_blocks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/rt/worlds/solids/sleeping_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

class SleepingStacks : public Sleeping {
 protected:
  /// A stack of cubes on the ground, and one that slides towards it without friction.
  static Scene stack_and_slider(int cubes) {
    Scene scene = ground();
    for (int i = 0; i < cubes; ++i) {
      const std::size_t cube = add(scene, "cube.h5", {0.0, 0.0, kHalf * (2 * i + 1) - 1e-5});
      touch(scene, cube, 0, 1e4, 20.0, {0.5, 0.5, {}});
      if (i > 0) touch_both(scene, cube, cube - 1, 1e4, 20.0, {0.5, 0.5, {}});
    }
    const std::size_t slider =
        add(scene, "cube.h5", {-0.1, 0.0, kHalf - 1e-5}, {{0.05, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    touch(scene, slider, 0, 1e4, 20.0);
    touch_both(scene, slider, 2, 1e4, 20.0);
    return scene;
  }
};

TEST_F(Sleeping, bodies_at_rest_do_not_move_at_all) {
  Scene scene = ground();
  const std::size_t cube = add(scene, "cube.h5", {0.0, 0.0, kHalf + 1e-3});
  touch(scene, cube, 0, 1e4, 20.0);
  SolidsWorld awake(scene, nullptr), world(with_sleep(scene), nullptr);
  int steps = 0;
  while (asleep(world) == 0.0 && ++steps < 5000) {
    hold(awake, {}, 1);
    hold(world, {}, 1);
    expect_same(awake, world);
  }
  EXPECT_GE(steps, 100);
  EXPECT_LT(steps, 5000);
  const Vector3 rest = position(world, cube);
  hold(world, {}, 1000);
  EXPECT_EQ(position(world, cube), rest);
  EXPECT_EQ(world.free_bodies()[0]->momentum().norm(), 0.0);
  EXPECT_EQ(state_value(world, "contact/points"), 0.0);
  hold(awake, {}, 1000);
  // The last cycles of a motion that decays, below 1 mm/s for 0.1 s.
  EXPECT_LE((position(awake, cube) - rest).norm(), kSpeed * kTime);
}

TEST_F(SleepingStacks, a_body_that_comes_wakes_all_that_fell_asleep_together) {
  const Scene scene = stack_and_slider(3);
  SolidsWorld awake(scene, nullptr), world(with_sleep(scene), nullptr);
  hold(awake, {}, 1500);
  hold(world, {}, 1500);
  EXPECT_EQ(asleep(awake), 0.0);
  EXPECT_EQ(asleep(world), 3.0);
  int steps = 0;
  while (asleep(world) == 3.0 && ++steps < 1000) {
    hold(awake, {}, 1);
    hold(world, {}, 1);
  }
  EXPECT_EQ(asleep(world), 0.0);
  const Vector3 before = position(world, 2);
  // Not before they can touch in a step: at 0.05 m/s, 50 um.
  EXPECT_NEAR(position(world, 5).x() + kHalf, position(world, 2).x() - kHalf, 1e-4);
  hold(awake, {}, 40);
  hold(world, {}, 40);
  EXPECT_GT((position(world, 2) - before).norm(), 1e-5);
  for (std::size_t body = 2; body <= 5; ++body) {
    // Both stacks settled to within 1 nm of each other; friction and impact keep that.
    EXPECT_LE((position(awake, body) - position(world, body)).norm(), 1e-7) << body;
  }
}

TEST_F(Sleeping, a_body_of_any_speed_is_seen) {
  for (const double speed : {0.1, 1.0, 30.0}) {
    Scene scene = ground(Vector3::Zero());
    const std::size_t cube = add(scene, "cube.h5", {0.0, 0.0, 0.5});
    const std::size_t marble = add(scene, "marble.h5", {-2.0 * kHalf - 0.4 * speed, 0.0, 0.5},
                                   {{speed, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    touch_both(scene, cube, marble, 1e4);
    SolidsWorld awake(scene, nullptr), world(with_sleep(scene), nullptr);
    hold(awake, {}, 300);
    hold(world, {}, 300);
    EXPECT_EQ(asleep(world), 1.0);
    hold(awake, {}, 600);
    hold(world, {}, 600);
    // What was at rest had nothing to lose.
    expect_same(awake, world);
    EXPECT_GT(world.free_bodies()[0]->momentum().x(), 0.0) << speed;
  }
}

TEST_F(Sleeping, what_the_hand_touches_is_awake) {
  Scene scene = ground();
  scene.bodies[1].pose.position.z() = 2.0 * kHalf + kRadius + 0.05;
  const std::size_t cube = add(scene, "cube.h5", {0.0, 0.0, kHalf - 1e-5});
  touch(scene, cube, 0, 1e4, 20.0);
  touch(scene, cube, 1, 1e4, 20.0);
  SolidsWorld world(with_sleep(scene), nullptr);
  hold(world, {}, 500);
  EXPECT_EQ(asleep(world), 1.0);
  for (int i = 0; i < 100; ++i) hold(world, hand_at(0.0, 0.0, -0.052 * i / 100.0), 1);
  EXPECT_EQ(asleep(world), 0.0);
  EXPECT_LT(hold(world, hand_at(0.0, 0.0, -0.052), 2000).contact_wrench.force.norm(), 1e3);
  EXPECT_EQ(asleep(world), 0.0);
  // The hand leaves.
  hold(world, {}, 1000);
  EXPECT_EQ(asleep(world), 1.0);
}

TEST_F(Sleeping, an_anchored_body_that_deforms_sleeps_until_it_is_touched) {
  Scene scene = ball_over("soft.h5");
  SolidsWorld awake(scene, nullptr), world(with_sleep(scene), nullptr);
  hold(awake, hand_at(0, 0, 0.01), 200);
  hold(world, hand_at(0, 0, 0.01), 200);
  EXPECT_EQ(asleep(world), 1.0);
  for (int i = 0; i < 5000; ++i) {
    hold(awake, stroke(i), 1);
    hold(world, stroke(i), 1);
  }
  EXPECT_GT(world.coordinates().size(), 0u);
  // Where it fell asleep on the way, it was slow, not at rest.
  for (std::size_t j = 0; j < world.coordinates().size(); ++j) {
    EXPECT_NEAR(world.coordinates()[j], awake.coordinates()[j], 1e-4);
  }
}

TEST_F(Sleeping, a_free_body_that_deforms_wakes_as_it_was) {
  Scene scene = ground(Vector3::Zero());
  const std::size_t soft = add(scene, "points.h5", {0.0, 0.0, 0.5});
  SolidsWorld awake(scene, nullptr), world(with_sleep(scene), nullptr);
  hold(awake, {}, 300);
  hold(world, {}, 300);
  EXPECT_EQ(asleep(world), 1.0);
  for (SolidsWorld* each : {&awake, &world}) {
    Pull pull;
    pull.at_rest = points().centre + points().places.col(0);
    pull.target = {0.1, 0.05, 0.0};
    pull.is_relative = true;
    pull.stiffness = 50.0;
    pull.limit = 10.0;
    ASSERT_EQ(each->prepare_pull(each->bodies()[soft].name, pull), "");
    ASSERT_TRUE(each->pull(pull));
    hold(*each, {}, 1);
  }
  EXPECT_EQ(asleep(world), 0.0);
  hold(awake, {}, 2000);
  hold(world, {}, 2000);
  EXPECT_EQ(asleep(world), 0.0);  // as long as it is pulled
  expect_same(awake, world);
  EXPECT_GT(position(world, soft).x(), 0.05);
}

TEST_F(Sleeping, a_parameter_wakes_all_and_nothing_sleeps_while_it_changes) {
  Scene scene = with_sleep(ground());
  edit_solids(scene).dynamics.material_ramp_s = 0.5;
  touch(scene, add(scene, "cube.h5", {0.0, 0.0, kHalf - 1e-5}), 0, 1e4, 20.0);
  SolidsWorld world(scene, nullptr);
  hold(world, {}, 500);
  ASSERT_EQ(asleep(world), 1.0);
  const double z = position(world, 2).z();
  ASSERT_TRUE(world.set_parameter(kContactStiffness, 1e3));
  for (int i = 0; i < 500; ++i) {
    hold(world, {}, 1);
    ASSERT_EQ(asleep(world), 0.0);
  }
  hold(world, {}, 500);
  EXPECT_EQ(asleep(world), 1.0);
  EXPECT_NEAR(z - position(world, 2).z(), kMass * kG / 16.0 * (1.0 / 1e3 - 1.0 / 1e4), 1e-6);
  world.reset();
  hold(world, {}, 50);
  EXPECT_EQ(asleep(world), 0.0);
}

TEST_F(Sleeping, another_number_of_basis_vectors_wakes_all) {
  Scene scene = with_sleep(ball_over("lifting2.h5"));
  scene.bodies[1].pose.position.z() = 1.0;
  SolidsWorld world(scene, nullptr);
  const auto parameters = world.parameters();
  const auto dimension = std::ranges::find(parameters, "ground.dimension", &World::Parameter::name);
  ASSERT_NE(dimension, parameters.end());
  for (const double count : {1.0, 2.0}) {
    hold(world, {}, 500);
    ASSERT_EQ(asleep(world), 1.0);
    ASSERT_TRUE(
        world.set_parameter(static_cast<std::size_t>(dimension - parameters.begin()), count));
    int steps = 0;
    while (asleep(world) == 1.0 && ++steps < 50) hold(world, {}, 1);
    EXPECT_LT(steps, 50) << count;
  }
}

TEST_F(Sleeping, the_energy_stored_in_contacts_is_not_counted_as_created_on_waking) {
  Scene scene = ball_over("soft.h5");
  scene.gravity = {0.0, 0.0, -kG};
  scene.bodies[1].pose.position.z() = 1.0;
  touch(scene, 0, add(scene, "cube.h5", {0.0, 0.0, kHalf - 1e-4}), 1e3, 20.0);
  edit_solids(scene).contacts.back().normals = ContactNormals::kShell;
  SolidsWorld world(with_sleep(scene), nullptr);
  for (int i = 0; asleep(world) < 2.0 && i < 20; ++i) hold(world, {}, 500);
  ASSERT_EQ(asleep(world), 2.0);
  ASSERT_GT(world.pairs().back().contact.contacts().size(), 0u);
  // The memory of the account is 1 s.
  hold(world, {}, 2000);
  const double k = world.parameter(kCouplingStiffness);
  ASSERT_TRUE(world.set_parameter(kCouplingStiffness, 2.0 * k));
  double created = 0.0;
  for (int i = 0; i < 300; ++i) {
    hold(world, {}, 1);
    created = std::max(created, state_value(world, "contact/created_energy"));
  }
  // m g d / 2 is stored, with d = m g / (n k) and n at most 441 points: at least 1.7e-5 J.
  EXPECT_LE(created, 1e-9);
}

TEST_F(Sleeping, bodies_in_flight_are_awake) {
  Scene scene = ground();
  add(scene, "cube.h5", {0.0, 0.0, 0.5}, {{0.0, 0.0, 1.0}, {0.0, 0.0, 0.0}});
  Scene slow = scene;
  edit_solids(slow).dynamics.sleep_speed = 0.1;  // the largest, for the least time
  edit_solids(slow).dynamics.sleep_s = 0.05;
  SolidsWorld awake(scene, nullptr), world(slow, nullptr);
  hold(awake, {}, 250);
  hold(world, {}, 250);
  expect_same(awake, world);
}

TEST_F(Sleeping, needs_the_implicit_step) {
  Scene scene = with_sleep(ball_over("soft.h5"));
  edit_solids(scene).dynamics.integrator = DynamicsIntegrator::kModal;
  EXPECT_THAT(refusal(scene), testing::HasSubstr("dynamics.sleep_speed"));
}

TEST_F(SleepingStacks, never_allocates) {
  SolidsWorld world(with_sleep(stack_and_slider(3)), nullptr);
  WorldOutput output;
  NoAllocation guard;
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(world.step({}, output), WorldStatus::kOk);
}

TEST(SleepingBlocks, islands_sleep_when_their_fastest_block_has_been_slow_for_all_the_time) {
  SleepingBlocks sleep(4, 4, 1.0, 3);
  BlockIslands islands(4);
  islands.join(1, 3);
  islands.number();
  const std::vector<char> none(4, 0), first = {1, 0, 0, 0};
  using List = std::vector<std::uint32_t>;
  const auto fallen = [&](const std::vector<double>& speeds, const std::vector<char>& stay) {
    const auto blocks = sleep.observe(islands, speeds, stay);
    return List(blocks.begin(), blocks.end());
  };
  EXPECT_EQ(fallen({0, 0, 0, 0}, first), List{});
  EXPECT_EQ(fallen({0, 0, 1, 2}, first), List{});
  EXPECT_EQ(fallen({0, 0, 0, 0}, first), List{});
  EXPECT_EQ(fallen({0, 0, 0, 0}, first), List{});
  EXPECT_EQ(fallen({0, 0, 0.99, 0}, first), (List{1, 2, 3}));
  EXPECT_EQ(sleep.count(), 3u);
  sleep.wake(3);
  EXPECT_EQ(sleep.count(), 1u);
  EXPECT_FALSE(sleep.sleeps(1));
  EXPECT_TRUE(sleep.sleeps(2));
  EXPECT_EQ(fallen({0, 0, 0, 0}, none), List{});
  EXPECT_EQ(fallen({0, 0, 0, 0}, none), List{});
  EXPECT_EQ(fallen({0, 0, 0, 0}, none), (List{0, 1, 3}));
  sleep.wake_all();
  EXPECT_EQ(sleep.count(), 0u);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(fallen({0, 0, 0, 0}, none), List{}) << i;
  EXPECT_EQ(fallen({0, 0, 0, 0}, none), (List{0, 1, 2, 3}));
  SleepingBlocks never(4, 4, 0.0, 1);
  EXPECT_TRUE(never.observe(islands, std::vector<double>(4, 0.0), none).empty());
}

}  // namespace
}  // namespace haptic::solids
