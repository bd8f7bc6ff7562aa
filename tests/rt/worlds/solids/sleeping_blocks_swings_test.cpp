// What swings on joints: at which amplitude it stops, and that sleep moves nothing and adds no
// energy.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "tests/rt/worlds/solids/sleeping_fixture.h"

namespace haptic::solids {
namespace {

/// A pendulum of 2 s is slower than the limit v for the time T about its turning point if its
/// amplitude is below v / (w sin(w T / 2)).
TEST_F(Sleeping, a_pendulum_of_two_seconds_stops_in_mid_swing_below_a_known_amplitude_only) {
  const double w = kPi;  // rad/s
  double arm = kG / (w * w);
  for (int i = 0; i < 10; ++i) arm = kG / (w * w) - kInertia / kMass / arm;
  const double highest = kSpeed / (w * std::sin(0.5 * w * kTime));
  EXPECT_NEAR(highest, 2.03e-3, 1e-5);
  for (const double share : {0.95, 1.05}) {
    Scene scene = ground();
    const Vector3 pivot(0.0, 0.0, 2.0);
    // The bound of a speed includes the turn of the box about its centre.
    const double angle = share * highest / (arm + std::sqrt(3.0) * kHalf);
    const std::size_t bob =
        add(scene, "cube.h5", pivot + arm * Vector3(std::sin(angle), 0.0, -std::cos(angle)));
    scene.bodies[bob].pose.orientation = rotation_exponential({0.0, -angle, 0.0});
    join(scene, JointType::kHinge, kWorld, bob, pivot);
    SolidsWorld world(with_sleep(scene), nullptr);
    int stopped = 0;
    for (int i = 1; i <= 10000 && stopped == 0; ++i) {
      hold(world, {}, 1);
      if (asleep(world) > 0.0) stopped = i;
    }
    if (share > 1.0) {
      EXPECT_EQ(stopped, 0);
      continue;
    }
    // At the first turning point, of the other side, and less than half of the time behind it.
    EXPECT_NEAR(stopped, 1050.0, 12.0);
    EXPECT_NEAR(position(world, bob).x(), -arm * angle, 0.02 * arm * angle);
    // What is woken there swings from there, and no further.
    const double start = energy(scene, world);
    ASSERT_TRUE(world.set_parameter(kCouplingStiffness, 2.0 * world.parameter(kCouplingStiffness)));
    double furthest = 0.0;
    for (int i = 0; i < 1000; ++i) {
      hold(world, {}, 1);
      furthest = std::max(furthest, position(world, bob).x());
      // The velocity is half a step older than the position: of the energy of the swing, w h.
      EXPECT_LE(energy(scene, world) - start,
                w * kStep * 0.5 * kMass * std::pow(w * arm * angle, 2.0));
    }
    EXPECT_LE(furthest, arm * angle);
  }
}

/// Random pulls at chains, of which one stands on the ground: at rest, the places are those without
/// sleep. Between pulls, what wakes for no reason gains no energy.
TEST_F(Sleeping, random_pulls_leave_chains_where_they_are_without_sleep) {
  Scene scene = ground();
  edit_solids(scene).dynamics.material_ramp_s = 0.0;
  std::vector<std::size_t> chain = hang_chain(scene, kWorld, 3, -0.1);
  const auto other = hang_chain(scene, 0, 4, 0.1);
  for (const std::size_t box : other) chain.push_back(box);
  touch(scene, other.back(), 0, 1e4, 20.0);
  // So much lower, it presses the ground.
  constexpr double kLower = kLowest - kHalf + 1e-5;
  for (const std::size_t box : other) scene.bodies[box].pose.position.z() -= kLower;
  for (std::size_t j = 3; j < 7; ++j) edit_solids(scene).joints[j].settings.point.z() -= kLower;
  const double slow = 0.5 * 7.0 * kMass * kSpeed * kSpeed;  // J, all boxes at sleep_speed
  for (const std::uint32_t seed : {1u, 2u, 3u}) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    SolidsWorld awake(scene, nullptr), world(with_sleep(scene), nullptr),
        again(with_sleep(scene), nullptr);
    const auto all = {&awake, &world, &again};
    int slept = 0, woken = 0;
    for (int round = 0; round < 6; ++round) {
      const std::size_t body = chain[random() % chain.size()];
      const Vector3 by = 0.01 * Vector3(number(random), 0.0, number(random));
      const int pulls = 50 + static_cast<int>(random() % 400);
      const int ends = pulls + 1000 + static_cast<int>(random() % 4000);
      for (SolidsWorld* each : all) pull(*each, body, by, 100.0);
      double start = 0.0;  // energy when it wakes
      bool rested = false;
      for (int i = 0; i < ends; ++i) {
        if (i == pulls) {
          for (SolidsWorld* each : all) pull(*each, body, {}, 0.0);
        }
        const bool was_asleep = asleep(world) == 7.0;
        if (was_asleep && i > pulls && !rested) {
          rested = true;
          start = energy(scene, world);
          const double k = world.parameter(kCouplingStiffness);
          for (SolidsWorld* each : all) ASSERT_TRUE(each->set_parameter(kCouplingStiffness, k + 1));
          ++woken;
        }
        for (SolidsWorld* each : all) hold(*each, {}, 1);
        slept += asleep(world) > 0.0 ? 1 : 0;
        ASSERT_LE(largest_gap(scene, world), 1e-8 * 2.0 * kHalf);
        // Of what sleep_speed stands for, rounding in the weights.
        if (rested) {
          ASSERT_LE(energy(scene, world) - start, 1e-3 * slow);
        }
      }
      expect_same(world, again);
    }
    EXPECT_GT(slept, 500) << seed;
    EXPECT_GE(woken, 3) << seed;
    for (SolidsWorld* each : {&awake, &world}) hold(*each, {}, 10000);
    ASSERT_EQ(asleep(world), 7.0);
    EXPECT_LE(state_value(world, "contact/created_energy"), 1e-9);
    double furthest = 0.0;
    for (const std::size_t box : chain) {
      furthest = std::max(furthest, (position(awake, box) - position(world, box)).norm());
    }
    // A mode of period P stops at most v / (w sin(w T / 2)) from its rest; at 0.7 s, 2.6 v T.
    EXPECT_LE(furthest, 2.6 * kSpeed * kTime) << seed;
  }
}

TEST_F(Sleeping, what_falls_asleep_leaves_the_energy_accounts_of_others_alone) {
  Scene scene = ground();
  hang_chain(scene, kWorld, 2, 0.2);
  // It tumbles on its edges, with the normals of its own points.
  const std::size_t cube =
      add(scene, "cube.h5", {0.0, 0.0, 0.061}, {{0.0, 0.0, 0.0}, {6.0, 9.0, 2.0}});
  touch(scene, cube, 0, 1e4);
  edit_solids(scene).contacts.back().normals = ContactNormals::kShell;
  SolidsWorld awake(scene, nullptr), world(with_sleep(scene), nullptr);
  double before = 0.0, after = 0.0;
  for (int i = 0; i < 500; ++i) {
    hold(awake, {}, 1);
    hold(world, {}, 1);
    const double created = state_value(world, "contact/created_energy");
    ASSERT_EQ(created, state_value(awake, "contact/created_energy")) << i;
    ASSERT_EQ(position(world, cube), position(awake, cube)) << i;
    double& largest = asleep(world) == 0.0 ? before : after;
    largest = std::max(largest, created);
  }
  EXPECT_EQ(asleep(world), 2.0);
  // The chain falls asleep while the cube bounces.
  EXPECT_GT(before, 1e-3);
  EXPECT_GT(after, 1e-3);
}

}  // namespace
}  // namespace haptic::solids
