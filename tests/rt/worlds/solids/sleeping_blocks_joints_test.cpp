// Bodies on joints that sleep: chains, closed loops, and what wakes them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/rt/worlds/solids/sleeping_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

constexpr int kBoxes = 8;

TEST_F(Sleeping, a_chain_that_hangs_comes_to_rest_and_sleeps_without_any_row) {
  Scene scene = ground();
  const auto chain = hang_chain(scene, kWorld, kBoxes, 0.0, 0.1);
  SolidsWorld awake(scene, nullptr), world(with_sleep(scene), nullptr);
  SolidsWorld nothing(with_sleep(ground()), nullptr);
  const ImplicitStep& step = *world.implicit_step();
  int steps = 0;
  for (; asleep(world) == 0.0 && steps < 30000; ++steps) {
    hold(awake, {}, 1);
    hold(world, {}, 1);
    ASSERT_EQ(position(awake, chain.back()), position(world, chain.back())) << steps;
    ASSERT_EQ(step.solver().links(), 6u * kBoxes);
  }
  ASSERT_EQ(asleep(world), kBoxes);
  EXPECT_GT(steps, 1000);
  expect_same(awake, world);  // what falls asleep stops where it is
  const double gap = largest_gap(scene, world);
  std::vector<Pose> rest(world.poses().begin(), world.poses().end());
  hold(nothing, {}, 10);
  for (int i = 0; i < 2000; ++i) {
    hold(world, {}, 1);
    for (const std::size_t box : chain) {
      ASSERT_EQ(position(world, box), rest[box].position);
      ASSERT_EQ(world.poses()[box].orientation.coeffs(), rest[box].orientation.coeffs());
    }
    // The system of the hand alone.
    ASSERT_EQ(step.solver().links(), 0u);
    ASSERT_TRUE(step.joints().awake().empty());
    ASSERT_EQ(step.solver().iterations(), nothing.implicit_step()->solver().iterations());
    ASSERT_EQ(step.solver().factorisations(), nothing.implicit_step()->solver().factorisations());
    ASSERT_EQ(state_value(world, "contact/created_energy"), 0.0);
  }
  EXPECT_EQ(largest_gap(scene, world), gap);
  // Three rows, each open by 1e-9 of the bounding radius at most.
  EXPECT_LE(gap, 1.8e-9 * std::sqrt(3.0) * kHalf);
  for (const auto& body : world.free_bodies()) {
    EXPECT_EQ(body->momentum().norm() + body->angular_momentum().norm(), 0.0);
  }
  hold(awake, {}, 30000);
  for (const std::size_t box : chain) {
    // Of what is left of the motion when all points have been slower than 1 mm/s for 0.1 s: the
    // slowest mode, a pendulum of 0.19 m, takes 0.7 s for a period, 1e-3 / (9 sin 0.45) m.
    EXPECT_LE((position(awake, box) - position(world, box)).norm(), 3e-4) << box;
  }
}

TEST_F(Sleeping, a_chain_wakes_as_a_whole_by_all_that_moves_it) {
  Scene scene = with_sleep(ground());
  edit_solids(scene).dynamics.material_ramp_s = 0.05;
  const auto chain = hang_chain(scene, kWorld, kBoxes, 0.0);
  for (SceneJoint& joint : edit_solids(scene).joints) {
    joint.settings.minimum = -1.0;
    joint.settings.maximum = 1.0;
  }
  edit_solids(scene).joints[5].settings.button = TargetButton{2, 0.3, 2.0};
  struct Cause {
    std::string name;
    std::function<void(SolidsWorld&)> happens;
    std::uint32_t buttons = 0;
  };
  const std::vector<Cause> causes = {
      {"pull",
       [&](SolidsWorld& world) {
         pull(world, chain[3], {0.02, 0.0, 0.0}, 100.0);
       }},
      {"target",
       [](SolidsWorld& world) {
         EXPECT_TRUE(world.set_parameter(parameter(world, "joint2.target"), 0.2));
       }},
      {"button", [](SolidsWorld&) {}, 1u << 2},
      {"parameter",
       [](SolidsWorld& world) {
         EXPECT_TRUE(
             world.set_parameter(kCouplingStiffness, 2.0 * world.parameter(kCouplingStiffness)));
       }},
      {"reset", [](SolidsWorld& world) { world.reset(); }}};
  for (const Cause& cause : causes) {
    SolidsWorld world(scene, nullptr);
    settle(world, kBoxes, 500);
    hold(world, {}, 100);
    const Vector3 rest = position(world, chain.back());
    cause.happens(world);
    DeviceState hand;
    hand.buttons = cause.buttons;
    hold(world, hand, 1);
    EXPECT_EQ(asleep(world), 0.0) << cause.name;
    EXPECT_EQ(world.implicit_step()->joints().awake().size(), std::size_t{kBoxes}) << cause.name;
    for (int i = 0; i < 80; ++i) {
      hold(world, hand, 1);
      ASSERT_EQ(asleep(world), 0.0) << cause.name;
    }
    const double moved = (position(world, chain.back()) - rest).norm();
    if (cause.name == "parameter" || cause.name == "reset") {
      EXPECT_LE(moved, 1e-8) << cause.name;  // of the coupling: nothing to do with it
      settle(world, kBoxes, 500);
    } else {
      EXPECT_GT(moved, 1e-5) << cause.name;
    }
  }
}

TEST_F(Sleeping, a_body_that_comes_moves_a_chain_as_if_it_had_been_awake) {
  Scene scene = ground();
  const auto chain = hang_chain(scene, kWorld, kBoxes, 0.0);
  const std::size_t slider =
      add(scene, "heavy.h5", {-0.06, 0.0, kHalf - 1e-6}, {{0.1, 0.0, 0.0}, {0.0, 0.0, 0.0}});
  touch(scene, slider, 0, 1e4, 20.0);
  touch_both(scene, slider, chain.back(), 1e4);
  SolidsWorld awake(scene, nullptr), world(with_sleep(scene), nullptr),
      again(with_sleep(scene), nullptr);
  const auto step_all = [&](double until, int most) {
    for (int i = 0; i < most && asleep(world) != until; ++i) {
      for (SolidsWorld* each : {&awake, &world, &again}) hold(*each, {}, 1);
    }
    EXPECT_EQ(asleep(world), until);
  };
  step_all(kBoxes, 300);
  step_all(0.0, 500);
  // It wakes when they may touch in this step, at 0.1 m/s; not before.
  EXPECT_NEAR(position(world, slider).x(), -2.0 * kHalf, 3e-4);
  for (SolidsWorld* each : {&awake, &world, &again}) hold(*each, {}, 200);
  expect_same(world, again);
  EXPECT_GT(position(world, chain.back()).x(), 5e-3);
  for (std::size_t body = 2; body <= slider; ++body) {
    // At rest the joints of both chains were open by up to 1e-9 of a box; the impact keeps that.
    EXPECT_LE((position(awake, body) - position(world, body)).norm(), 1e-9) << body;
  }
}

TEST_F(Sleeping, chains_on_one_anchor_sleep_each_by_itself) {
  for (const std::size_t anchor : {kWorld, std::size_t{0}}) {
    Scene scene = with_sleep(ground());
    const auto left = hang_chain(scene, anchor, 3, -0.1), right = hang_chain(scene, anchor, 5, 0.1);
    SolidsWorld world(scene, nullptr);
    settle(world, 8.0, 500);
    pull(world, left[1], {0.02, 0.0, 0.0}, 50.0);
    hold(world, {}, 300);
    EXPECT_EQ(asleep(world), 5.0) << anchor;
    EXPECT_EQ(world.implicit_step()->joints().awake().size(), 3u);
    EXPECT_EQ(world.implicit_step()->solver().links(), 3u * 6u + PullSpring::kLinks);
    EXPECT_GT((position(world, left[1]) - scene.bodies[left[1]].pose.position).norm(), 1e-3);
    const Vector3 rest = position(world, right[2]);
    hold(world, {}, 200);
    EXPECT_EQ(position(world, right[2]), rest);
    pull(world, left[1], {}, 0.0);
    settle(world, 8.0, 20000);
  }
}

TEST_F(Sleeping, a_chain_on_an_anchored_body_that_deforms_wakes_with_it) {
  SprungPlane wide;
  wide.side = 41;
  wide.quadratic = 8e4;  // 20 kN/m
  write_sprung_plane(folder_ / "wide.h5", wide);
  Scene scene = ball_over("wide.h5");
  scene.gravity = {0.0, 0.0, -kG};
  scene.bodies[1].pose.position.z() = kRadius + 5e-3;
  // Two cubes lie side by side on the soft ground, the hand presses it elsewhere.
  const std::size_t first = add(scene, "cube.h5", {0.008, -0.012, kHalf - 3e-4});
  const std::size_t second = add(scene, "cube.h5", {0.008, 0.012, kHalf - 3e-4});
  join(scene, JointType::kHinge, first, second, {0.008, 0.0, kHalf}, Vector3::UnitX()).servo =
      ServoSettings{5.0, 0.5, 1e9};
  for (const std::size_t cube : {first, second}) {
    touch(scene, 0, cube, 1e3, 20.0, {0.5, 0.5, {}});
    edit_solids(scene).contacts.back().settings.normals = ContactNormals::kShell;
  }
  SolidsWorld world(with_sleep(scene), nullptr);
  settle(world, 3.0, 20000);
  hold(world, {}, 2000);  // the memory of the accounts of energy is 1 s
  ASSERT_EQ(asleep(world), 3.0);
  const Vector3 rest = position(world, second);
  int steps = 0;
  for (; asleep(world) == 3.0 && steps < 500; ++steps) {
    hold(world, hand_at(-0.012, 0.0, -2e-5 * steps), 1);
    // Nothing has moved the cubes before.
    if (asleep(world) == 3.0) {
      ASSERT_EQ(position(world, second), rest);
    }
  }
  EXPECT_EQ(asleep(world), 0.0);
  EXPECT_GT(steps, 200);  // 5 mm
  double created = 0.0;
  for (; steps < 500; ++steps) {
    hold(world, hand_at(-0.012, 0.0, -2e-5 * steps), 1);
    created = std::max(created, state_value(world, "contact/created_energy"));
    ASSERT_EQ(asleep(world), 0.0);  // in the hand's island
  }
  EXPECT_GT(rest.z() - position(world, second).z(), 1e-5);
  // As in the contacts of the hand alone; k d^2 / 2 of the cubes at rest is 2e-5 J.
  EXPECT_LE(created, 1e-6);
}

TEST_F(Sleeping, a_body_that_deforms_wakes_on_its_joint_as_it_was) {
  Scene scene = ground(Vector3::Zero());
  const FreePoints of = points();
  const std::size_t soft = add(scene, "points.h5", origin_for(of, 1, {0.0, 0.0, 0.5}));
  join(scene, JointType::kBall, kWorld, soft, {0.0, 0.0, 0.5});
  const std::size_t cube =
      add(scene, "cube.h5", scene.bodies[soft].pose.position + of.centre + of.places.col(2));
  join(scene, JointType::kBall, soft, cube,
       scene.bodies[soft].pose.position + of.centre + of.places.col(2));
  SolidsWorld awake(scene, nullptr), world(with_sleep(scene), nullptr);
  hold(awake, {}, 300);
  hold(world, {}, 300);
  EXPECT_EQ(asleep(world), 2.0);
  for (SolidsWorld* each : {&awake, &world}) {
    pull(*each, cube, {0.01, 0.02, 0.0}, 50.0);
    hold(*each, {}, 1);
  }
  EXPECT_EQ(asleep(world), 0.0);
  hold(awake, {}, 500);
  hold(world, {}, 500);
  // What was at rest has lost nothing.
  expect_same(awake, world);
  EXPECT_GT((position(world, cube) - scene.bodies[cube].pose.position).norm(), 1e-3);
  EXPECT_GT(values(world.deformable(soft)->q()).norm(), 1e-6);
}

TEST_F(Sleeping, a_closed_loop_sleeps_and_wakes_without_a_gap) {
  Scene scene = ground();
  const Vector3 a(0.0, 0.0, 1.0), d(0.06, 0.0, 1.0);
  const Vector3 down = 0.04 * Vector3(std::sin(0.3), 0.0, -std::cos(0.3));
  const std::size_t crank = add(scene, "slab.h5", a + 0.5 * down);
  const std::size_t rocker = add(scene, "slab.h5", d + 0.5 * down);
  const std::size_t coupler = add(scene, "cube.h5", 0.5 * (a + d) + down);
  join(scene, JointType::kHinge, crank, kWorld, a).servo = ServoSettings{0.2, 0.02, 1e9};
  join(scene, JointType::kHinge, coupler, crank, a + down);
  join(scene, JointType::kHinge, rocker, coupler, d + down);
  join(scene, JointType::kHinge, rocker, kWorld, d);
  SolidsWorld world(with_sleep(scene), nullptr);
  settle(world, 3.0, 30000);
  hold(world, {}, 1000);
  pull(world, rocker, {0.0, 0.0, 0.01}, 200.0);
  double gap = 0.0;
  for (int i = 0; i < 1000; ++i) {
    hold(world, {}, 1);
    EXPECT_EQ(asleep(world), 0.0);
    gap = std::max(gap, largest_gap(scene, world));
  }
  pull(world, rocker, {}, 0.0);
  settle(world, 3.0, 30000);
  EXPECT_LE(gap, 1e-8 * 2.0 * kHalf);
}

TEST_F(Sleeping, chains_never_allocate) {
  Scene scene = with_sleep(ground());
  const auto chain = hang_chain(scene, kWorld, 3, 0.0);
  const std::size_t marble =
      add(scene, "marble.h5", {-0.04, 0.0, kHalf - 1e-6}, {{0.1, 0.0, 0.0}, {0.0, 0.0, 0.0}});
  touch(scene, marble, 0, 1e4, 20.0);
  touch_both(scene, marble, chain.back(), 1e4);
  SolidsWorld world(scene, nullptr);
  WorldOutput output;
  std::uint32_t most = 0;
  bool wakes = false;  // when the marble hits
  NoAllocation guard;
  for (int i = 0; i < 400; ++i) {
    ASSERT_EQ(world.step({}, output), WorldStatus::kOk);
    most = std::max(most, world.implicit_step()->asleep());
    wakes = wakes || (most > 0 && world.implicit_step()->asleep() == 0);
  }
  EXPECT_EQ(most, 3u);
  EXPECT_TRUE(wakes);
}

}  // namespace
}  // namespace haptic::solids
