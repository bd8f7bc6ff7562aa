// The force across a change of level, when a budget takes the finest levels away and gives them
// back.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/rt/contact/plane_scene.h"

namespace haptic {
namespace {

using namespace oracle;

/// A flat face of n x n points at z = 0, n a multiple of four: every fourth first, then every
/// second, then all.
ShellData nested_face(int n) {
  ShellData shell;
  for (int level = 0; level < 3; ++level) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const int own = i % 4 == 0 && j % 4 == 0 ? 0 : i % 2 == 0 && j % 2 == 0 ? 1 : 2;
        if (own == level) shell.add({i / 64.0, j / 64.0, 0.0}, Vector3::UnitZ());
      }
    }
  }
  return shell;
}

/// Points of a sphere of which every prefix covers it evenly: the plastic number's sequence
/// (Roberts 2018) on height and angle.
ShellData nested_sphere(double radius, std::uint32_t m) {
  ShellData shell;
  const double g = 1.32471795724474602596;
  for (std::uint32_t s = 0; s < m; ++s) {
    const double u = std::fmod(0.5 + s / g, 1.0), v = std::fmod(0.5 + s / (g * g), 1.0);
    const double z = 1.0 - 2.0 * u, ring = std::sqrt(1.0 - z * z), phi = 2.0 * M_PI * v;
    const Vector3 n(ring * std::cos(phi), ring * std::sin(phi), z);
    shell.add(radius * n, -n);
  }
  return shell;
}

struct Switches {
  double worst = 0.0;  ///< largest relative change of the force in a cycle
  std::uint32_t fewest_contacts = 0xffffffff, coarsest = 0xffffffff, finest = 0;
};

/// A body at rest whose budget falls and rises again, each value for 100 cycles.
Switches through_budgets(ContactPair& pair, const BodyMotion& body,
                         const std::vector<std::uint32_t>& budgets) {
  Switches found;
  Vector3 before = pair.evaluate(body, BodyMotion()).on_held.force;
  for (const std::uint32_t budget : budgets) {
    pair.set_node_budget(budget);
    for (int cycle = 0; cycle < 100; ++cycle) {
      const ContactResult& result = pair.evaluate(body, BodyMotion());
      const Vector3 force = result.on_held.force;
      found.worst = std::max(found.worst, (force - before).norm() / before.norm());
      found.fewest_contacts = std::min(found.fewest_contacts, result.contacts);
      found.coarsest = std::min(found.coarsest, result.level);
      found.finest = std::max(found.finest, result.level);
      before = force;
    }
  }
  return found;
}

TEST(LevelSwitch, flat_contact_of_uniform_depth_does_not_change) {
  const ShellData shell = nested_face(32);
  const PlaneScene scene(shell, nested_tree(shell, {64, 256, 1024}));
  for (const ContactScaling scaling : {ContactScaling::kPublished, ContactScaling::kPerSite}) {
    ContactSettings settings;
    settings.scaling = scaling;
    ContactPair pair = scene.pair(settings);
    const Switches found = through_budgets(pair, standing_at({0.0, 0.0, -1e-3}),
                                           {5000, 500, 100, 500, 5000, 100, 5000});
    EXPECT_LE(found.worst, 1e-6);
    EXPECT_EQ(found.coarsest, 1u);
    EXPECT_EQ(found.finest, 3u);
  }
}

TEST(LevelSwitch, curved_contact_changes_by_less_than_five_percent_a_cycle) {
  const double rho = 0.25;
  const ShellData shell = nested_sphere(rho, 16000);
  const PlaneScene scene(shell, nested_tree(shell, {1000, 4000, 16000}));
  ContactPair pair = scene.pair(ContactSettings());
  double worst = 0.0;
  for (const double depth : {0.03, 0.05, 0.1}) {
    const Switches found = through_budgets(pair, standing_at({0.0, 0.0, rho - depth}),
                                           {100000, 4000, 1100, 4000, 100000, 1100, 100000});
    EXPECT_GE(found.fewest_contacts, 50u);
    EXPECT_EQ(found.coarsest, 1u);
    EXPECT_EQ(found.finest, 3u);
    worst = std::max(worst, found.worst);
  }
  EXPECT_LE(worst, LevelFade::kMaxForceFraction);
  RecordProperty("worst_relative_change", std::to_string(worst));
}

}  // namespace
}  // namespace haptic
