// A traversal over a history of states: coherence, levels and lists together;
// contact_traversal_test.cpp has single evaluations.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/rt/contact/traversal_scene.h"
#include "tests/support/no_allocation.h"

namespace haptic::oracle {
namespace {

/// Touching points found one by one, with nothing but the views.
std::vector<TouchingPoint> plain(const ContactFixture& scene, const Pose& shell, const Pose& field,
                                 const ModalCoordinates& q) {
  std::vector<TouchingPoint> touching;
  for (std::uint32_t s = 0; s < scene.shell.size(); ++s) {
    const Vector3 p = field.to_material(shell.to_world(scene.shell.position(s, q)));
    const double d = scene.field.distance(p);
    if (d < 0.0) touching.push_back({s, 1, d});
  }
  return touching;
}

TEST(Traversal, finds_what_a_plain_loop_finds) {
  Random random(1);
  ShellData shell = random_beam(random, 1.0, 0.05, 2000);
  shell.set_modes(bending_modes());
  const ContactFixture scene(shell, nested_tree(shell, {20, 100, 500, 2000}), bumpy_field(32));
  ContactTraversal traversal = scene.traversal();
  std::size_t contacts = 0;
  for (int trial = 0; trial < 200; ++trial) {
    RandomWalk state(random, shell.r, 0.0);
    const Pose field = random_pose(random, 0.3);
    const ModalCoordinates q(state.q());
    const auto expected = plain(scene, state.pose(), field, q);
    const auto found = copy(traversal.run(state.pose(), field, q));
    contacts += found.size();
    // Sums are in another order: a distance is right to 1e-13 m, so a point this near to the
    // surface may be on either side.
    std::size_t i = 0, j = 0;
    while (i < expected.size() || j < found.size()) {
      if (i < expected.size() && j < found.size() && expected[i].point == found[j].point) {
        ASSERT_NEAR(expected[i].distance, found[j].distance, 1e-13);
        ++i, ++j;
      } else if (j == found.size() || (i < expected.size() && expected[i].point < found[j].point)) {
        ASSERT_GT(expected[i++].distance, -1e-13);
      } else {
        ASSERT_GT(found[j++].distance, -1e-13);
      }
    }
  }
  EXPECT_GT(contacts, 5000u);
}

/// A shell, a tree over it, settings and a history of states, all at random.
void check_any_history(std::uint32_t seed) {
  Random random(seed);
  const auto up_to = [&](std::uint32_t n) { return std::uint32_t(random() % n); };
  const std::uint32_t points = 20 + up_to(400);
  std::vector<std::uint32_t> sizes = {1 + up_to(8)};
  while (sizes.back() < points) sizes.push_back(std::min(points, sizes.back() * (2 + up_to(6))));
  ShellData shell =
      random_beam(random, 0.4 + 0.001 * up_to(600), 0.02 + 0.001 * up_to(100), points);
  const bool ordered = up_to(2) == 0, shuffled = !ordered && up_to(2) == 0;
  if (ordered) shell = in_tree_order(shell, sizes);
  if (const std::uint32_t modes = up_to(3); modes != 0) {
    shell.set_modes(modes == 1 ? affine_modes() : bending_modes());
  }
  const ContactFixture scene(shell, nested_tree(shell, sizes, shuffled ? &random : nullptr),
                             bumpy_field(16));
  TraversalSettings settings;
  settings.temporal_coherence = up_to(4) != 0;
  settings.degradation.warm_nodes = up_to(2) == 0 ? 0 : 1 + up_to(2 * points);
  settings.degradation.rule =
      up_to(2) == 0 ? DegradationSettings::Rule::kHard : DegradationSettings::Rule::kPublished;
  settings.degradation.contact_nodes = up_to(2);
  settings.degradation.fade_cycles = 0;
  ContactTraversal traversal = scene.traversal(settings), all = scene.traversal();
  RandomWalk state(random, shell.r, 0.002);
  for (int cycle = 0; cycle < 100; ++cycle) {
    state.advance();
    if (up_to(20) == 0) state.jump();
    if (up_to(40) == 0) state.lose_pose();
    if (up_to(40) == 0) traversal.clear_history();
    const ModalCoordinates q(state.q());
    std::vector<TouchingPoint> expected = copy(all.run_all(state.pose(), Pose(), q));
    const auto found = copy(traversal.run(state.pose(), Pose(), q));
    RC_ASSERT(traversal.level() >= 1u);
    if (traversal.was_cut()) {
      RC_ASSERT(settings.degradation.warm_nodes != 0);
      const std::uint32_t rendered = sizes[traversal.level() - 1];
      std::erase_if(expected, [&](const TouchingPoint& t) { return t.point >= rendered; });
    }
    RC_ASSERT(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) RC_ASSERT(found[i] == expected[i]);
    if (!std::isfinite(state.pose().position.x())) state.jump();
  }
}

RC_GTEST_PROP(Traversal, any_history_equals_brute_force_of_the_levels_rendered,
              (std::uint32_t seed)) {
  check_any_history(seed);
}

/// Steps of at most what a hand does in a millisecond, with and without coherence.
void compare_along_a_walk(std::uint32_t seed, bool deformable, int cycles, double* saved) {
  Random random(seed);
  const std::vector<std::uint32_t> sizes = {40, 160, 640};
  ShellData shell = in_tree_order(random_beam(random, 1.0, 0.05, 640), sizes);
  if (deformable) shell.set_modes(bending_modes());
  const ContactFixture scene(shell, nested_tree(shell, sizes), bumpy_field(32));
  TraversalSettings coherent;
  coherent.temporal_coherence = true;
  ContactTraversal with = scene.traversal(coherent), without = scene.traversal();
  RandomWalk state(random, shell.r, 0.0006);
  ModalCoordinates q(shell.r);
  std::uint64_t contacts = 0, visits_with = 0, visits_without = 0;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    if (cycle % 5000 == 0) state.jump();
    state.advance();
    q.assign(state.q());
    const auto a = with.run(state.pose(), Pose(), q);
    const auto b = without.run(state.pose(), Pose(), q);
    ASSERT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << "cycle " << cycle;
    ASSERT_LE(with.visited_nodes(), without.visited_nodes());
    contacts += a.size();
    visits_with += with.visited_nodes();
    visits_without += without.visited_nodes();
  }
  ASSERT_GT(contacts, std::uint64_t(cycles));
  *saved = 1.0 - double(visits_with) / double(visits_without);
}

TEST(Traversal, temporal_coherence_changes_nothing_but_the_visits) {
  double rigid = 0.0, deformable = 0.0;
  compare_along_a_walk(9, false, 100000, &rigid);
  compare_along_a_walk(90, true, 20000, &deformable);
  RecordProperty("saved_percent_rigid", std::to_string(100.0 * rigid));
  RecordProperty("saved_percent_deformable", std::to_string(100.0 * deformable));
  EXPECT_GT(rigid, 0.1);
  EXPECT_GT(deformable, 0.0);
}

TEST(Traversal, after_a_teleport_all_contacts_are_found) {
  Random random(10);
  const ShellData shell = random_beam(random, 1.0, 0.05, 2000);
  const ContactFixture scene(shell, nested_tree(shell, {20, 100, 500, 2000}), bumpy_field(16));
  TraversalSettings settings;
  settings.temporal_coherence = true;
  ContactTraversal traversal = scene.traversal(settings), all = scene.traversal();
  const ModalCoordinates q(0);
  const Pose far{Vector3(50.0, 0.0, 0.0), Quaternion::Identity()};
  for (int trial = 0; trial < 50; ++trial) {
    for (int cycle = 0; cycle < 3; ++cycle) {
      EXPECT_TRUE(traversal.run(far, Pose(), q).empty());
    }
    EXPECT_EQ(traversal.visited_nodes(), 0u);
    const Pose near = random_pose(random, 0.3);
    const auto expected = copy(all.run_all(near, Pose(), q));
    EXPECT_EQ(copy(traversal.run(near, Pose(), q)), expected);
  }
}

TEST(Traversal, free_space_visits_few_nodes) {
  // Two links of a chain that do not touch: no part is far from the other one.
  const auto ring = [](const Vector3& p) {
    return std::hypot(std::hypot(p.x(), p.y()) - 0.05, p.z()) - 0.01;
  };
  Random random(59);
  ShellData link;
  std::uniform_real_distribution<double> angle(0.0, 6.283185307179586);
  for (int i = 0; i < 5571; ++i) {
    const double u = angle(random), v = angle(random);
    const Vector3 out(std::cos(u) * std::cos(v), std::sin(u) * std::cos(v), std::sin(v));
    link.add(Vector3(0.05 * std::cos(u), 0.05 * std::sin(u), 0.0) + 0.01 * out, -out);
  }
  const ContactFixture scene(link, nested_tree(link, {65, 262, 1114, 5571}),
                             sample_field(ring, 64, 0.18));
  TraversalSettings settings;
  settings.temporal_coherence = true;
  ContactTraversal traversal = scene.traversal(settings);
  // Through the hole, at right angles, held by a hand that trembles by 20 um at 8 Hz.
  std::vector<std::uint32_t> visits;
  for (int cycle = 0; cycle < 2000; ++cycle) {
    const double t = 6.283185307179586 * 8.0 * cycle / 1000.0;
    const Pose pose{Vector3(0.05 + 2e-5 * std::sin(t), 0.0, 1e-5 * std::sin(1.7 * t)),
                    rotation_exponential(Vector3(1.5707963267948966, 1e-4 * std::sin(t), 0.0))};
    EXPECT_TRUE(traversal.run(pose, Pose(), ModalCoordinates(0)).empty());
    if (cycle >= 100) visits.push_back(traversal.visited_nodes());
  }
  std::sort(visits.begin(), visits.end());
  EXPECT_LE(visits[visits.size() / 2], 5u);
  RecordProperty("visits_median", visits[visits.size() / 2]);
  RecordProperty("visits_p99", visits[visits.size() * 99 / 100]);
}

TEST(Traversal, a_run_over_all_points_does_not_affect_later_runs) {
  Random random(11);
  const ShellData shell = random_beam(random, 1.0, 0.05, 600);
  const ContactFixture scene(shell, nested_tree(shell, {20, 100, 600}), bumpy_field(16));
  TraversalSettings settings;
  settings.temporal_coherence = true;
  settings.degradation.warm_nodes = 200;
  ContactTraversal plain = scene.traversal(settings), disturbed = scene.traversal(settings);
  RandomWalk state(random, 0, 0.002);
  const ModalCoordinates q(0);
  for (int cycle = 0; cycle < 500; ++cycle) {
    state.advance();
    disturbed.run_all(random_pose(random, 0.5), Pose(), q);
    const auto expected = copy(plain.run(state.pose(), Pose(), q));
    EXPECT_EQ(copy(disturbed.run(state.pose(), Pose(), q)), expected);
    EXPECT_EQ(disturbed.visited_nodes(), plain.visited_nodes());
  }
}

TEST(Traversal, runs_do_not_allocate) {
  Random random(12);
  ShellData shell = random_beam(random, 1.0, 0.05, 2000);
  shell.set_modes(bending_modes());
  const ContactFixture scene(shell, nested_tree(shell, {20, 100, 500, 2000}), bumpy_field(16));
  TraversalSettings settings;
  settings.temporal_coherence = true;
  settings.degradation.warm_nodes = 1000;
  ContactTraversal traversal = scene.traversal(settings);
  RandomWalk state(random, shell.r, 0.01);
  ModalCoordinates q(shell.r);
  std::size_t contacts = 0;
  for (int cycle = 0; cycle < 300; ++cycle) {
    state.advance();
    q.assign(state.q());
    const NoAllocation guard;
    contacts += traversal.run(state.pose(), Pose(), q).size();
    contacts += traversal.run_all(state.pose(), Pose(), q).size();
  }
  EXPECT_GT(contacts, 0u);
}

}  // namespace
}  // namespace haptic::oracle
