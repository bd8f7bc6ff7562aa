#include "rt/contact/contact_wall.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "tests/rt/contact/plane_scene.h"

namespace haptic {
namespace {

using Springs = std::vector<ContactWall::Spring>;

double sum_of_forces(const Springs& springs, double give) {
  double sum = 0.0;
  for (const auto& s : springs) sum += s.stiffness * std::max(0.0, s.depth - give);
  return sum;
}

TEST(ContactWall, equal_springs_are_in_series_with_the_wall) {
  for (const int count : {1, 10, 1000}) {
    const Springs springs(static_cast<std::size_t>(count), {2e-3, 100.0});
    // k = l 100 K in series with K: D = d k / (K + k).
    const double k = 100.0 * count;
    EXPECT_NEAR(ContactWall::give(1.0, springs), 2e-3 * k / (1.0 + k), 1e-15) << count;
  }
  EXPECT_EQ(ContactWall::give(1.0, {}), 0.0);
  EXPECT_EQ(ContactWall::give(1.0, Springs{{-1e-3, 100.0}}), 0.0);
}

TEST(ContactWall, the_force_of_the_wall_is_that_of_its_points) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform;
  for (int i = 0; i < 200; ++i) {
    Springs springs(1 + static_cast<std::size_t>(500.0 * uniform(random)));
    for (auto& s : springs) {
      s = {1e-2 * (uniform(random) - 0.3), 1e5 * (0.1 + uniform(random))};
    }
    // Once, depths that double: the slowest case.
    if (i == 0) {
      springs.clear();
      for (int j = 0; j < 200; ++j) springs.push_back({1.0 - std::ldexp(1.0, -j), 1e5});
    }
    const double give = ContactWall::give(1e3, springs);
    EXPECT_NEAR(1e3 * give, sum_of_forces(springs, give), 1e-9 * 1e3 * give + 1e-15) << i;
  }
}

// Points at two depths that tilt: the force, and its derivative for either body held.
TEST(ContactWall, the_gradient_of_the_law_is_that_of_its_force) {
  oracle::ShellData shell;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) {
      shell.add(Vector3(1e-2 * i, 1e-2 * j, 2e-4 * i * j), Vector3::UnitZ());
    }
  }
  const oracle::PlaneScene scene(shell);
  ContactSettings settings;
  settings.scaling = ContactScaling::kNone;
  settings.wall = 500.0;
  settings.stiffness = ContactWall::kPointRatio * settings.wall;
  for (const HeldSide held : {HeldSide::kShell, HeldSide::kField}) {
    ContactPair pair = scene.pair(settings, held);
    const auto at = [&](double z) {
      const BodyMotion moved = oracle::standing_at({0.0, 0.0, z}), still{};
      return held == HeldSide::kShell ? pair.evaluate(moved, still) : pair.evaluate(still, moved);
    };
    const double sign = held == HeldSide::kShell ? 1.0 : -1.0;
    const ContactResult result = at(-sign * 1e-3);
    EXPECT_NEAR(sign * result.on_held.force.z(), 0.5, 0.02 * 0.5);
    EXPECT_NEAR(result.pressed, 500.0 * pair.give(), 1e-12);
    constexpr double kStep = 1e-8;
    const Wrench up = at(-sign * 1e-3 + kStep).on_held, down = at(-sign * 1e-3 - kStep).on_held;
    EXPECT_NEAR(result.gradient(2, 2), (up.force.z() - down.force.z()) / (2.0 * kStep), 1e-3);
    EXPECT_NEAR(result.gradient(3, 2), (up.torque.x() - down.torque.x()) / (2.0 * kStep), 1e-3);
    pair.leave();
    EXPECT_EQ(pair.give(), 0.0);
  }
}

}  // namespace
}  // namespace haptic
