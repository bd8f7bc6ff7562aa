#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "tests/rt/contact/contact_fixture.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

using namespace oracle;

/// A wavy body full of small features: the field a culling rule can stumble over.
FieldData bumpy_field(std::uint32_t n) {
  return sample_field(
      [](const Vector3& p) {
        const double ball = sphere_distance(p, 0.42);
        const double box = box_distance(p - Vector3(0.15, 0.1, 0.2), {0.3, 0.08, 0.25});
        return std::min(ball, box);
      },
      n, 1.6);
}

std::vector<double> random_coordinates(Random& random, std::uint32_t r) {
  std::normal_distribution<double> n(0.0, 0.1);
  std::vector<double> q(r);
  for (double& value : q) value = n(random);
  return q;
}

std::vector<std::uint32_t> touching_points(const ContactPair& pair) {
  std::vector<std::uint32_t> points;
  for (const Contact& c : pair.contacts()) points.push_back(c.point);
  return points;
}

/// Compares a traversal with all points; 1e-12 is asked, equality to the bit is what holds.
void expect_equal_to_brute_force(ContactPair& tree, ContactPair& brute, const Pose& a,
                                 const Pose& b, std::span<const double> q) {
  const ContactResult& t = tree.evaluate(a, b, q);
  const ContactResult& f = brute.evaluate_brute_force(a, b, q);
  ASSERT_EQ(touching_points(tree), touching_points(brute));
  ASSERT_EQ(t.contacts, f.contacts);
  ASSERT_EQ(t.on_held.force, f.on_held.force);
  ASSERT_EQ(t.on_held.torque, f.on_held.torque);
  ASSERT_EQ(t.gradient, f.gradient);
  for (std::size_t j = 0; j < q.size(); ++j) {
    ASSERT_EQ(tree.reduced_force()[j], brute.reduced_force()[j]);
  }
}

TEST(PointTree, traversal_equals_brute_force) {
  Random random(7);
  ShellData shell = random_beam(random, 1.0, 0.05, 6400);
  shell.set_modes(bending_modes());
  const ContactFixture scene(shell, nested_tree(shell, {25, 100, 400, 1600, 6400}),
                             bumpy_field(32));
  ContactPair tree = scene.pair(ContactSettings()), brute = scene.pair(ContactSettings());
  std::uint64_t contacts = 0, visited = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const Pose a = random_pose(random, 0.6), b = random_pose(random, 0.6);
    expect_equal_to_brute_force(tree, brute, a, b, random_coordinates(random, shell.r));
    if (HasFatalFailure()) return;
    contacts += tree.contacts().size();
    visited += tree.evaluate(a, b, std::vector<double>(shell.r, 0.0)).visited_nodes;
  }
  EXPECT_GT(contacts, 100000u);
  EXPECT_LT(visited, 1500u * scene.tree.node_count() / 2);
}

TEST(PointTree, published_culling_misses_nothing_deeper_than_the_interpolation_error) {
  Random random(70);
  ShellData shell = random_beam(random, 1.0, 0.05, 6400);
  shell.set_modes(bending_modes());
  const ContactFixture scene(shell, nested_tree(shell, {25, 100, 400, 1600, 6400}),
                             bumpy_field(16));
  ContactSettings published;
  published.traversal.culling = Culling::kPublished;
  ContactPair tree = scene.pair(published), safe = scene.pair(ContactSettings());
  std::uint64_t published_visits = 0, safe_visits = 0, missed = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const Pose a = random_pose(random, 0.6), b = random_pose(random, 0.6);
    const std::vector<double> q = random_coordinates(random, shell.r);
    published_visits += tree.evaluate(a, b, q).visited_nodes;
    safe_visits += safe.evaluate(a, b, q).visited_nodes;
    const std::vector<std::uint32_t> found = touching_points(tree);
    const std::set<std::uint32_t> known(found.begin(), found.end());
    for (const Contact& c : safe.contacts()) {
      if (known.contains(c.point)) continue;
      ++missed;
      ASSERT_LE(c.depth, 1.74 * scene.field.edge());
    }
  }
  EXPECT_LE(published_visits, safe_visits);
  RecordProperty("missed_by_published_culling", std::to_string(missed));
  RecordProperty("visits_published", std::to_string(published_visits));
  RecordProperty("visits_safe", std::to_string(safe_visits));
}

RC_GTEST_PROP(PointTree, any_tree_equals_brute_force, (std::uint32_t seed)) {
  Random random(seed);
  const auto up_to = [&](std::uint32_t n) { return std::uint32_t(random() % n); };
  const std::uint32_t points = 20 + up_to(400);
  ShellData shell =
      random_beam(random, 0.4 + 0.001 * up_to(600), 0.02 + 0.001 * up_to(100), points);
  switch (up_to(3)) {
    case 0:
      break;  // rigid
    case 1:
      shell.set_modes(affine_modes());
      break;
    default:
      shell.set_modes(bending_modes());
  }
  std::vector<std::uint32_t> sizes = {1 + up_to(8)};
  while (sizes.back() < points) sizes.push_back(std::min(points, sizes.back() * (2 + up_to(6))));
  const ContactFixture scene(shell, nested_tree(shell, sizes, up_to(2) == 0 ? &random : nullptr),
                             bumpy_field(16));
  const HeldSide held = up_to(2) == 0 ? HeldSide::kField : HeldSide::kShell;
  ContactPair tree = scene.pair(ContactSettings(), held),
              brute = scene.pair(ContactSettings(), held);
  for (int trial = 0; trial < 20; ++trial) {
    const Pose a = random_pose(random, 0.5), b = random_pose(random, 0.5);
    expect_equal_to_brute_force(tree, brute, a, b, random_coordinates(random, shell.r));
    RC_ASSERT(!::testing::Test::HasFatalFailure());
  }
}

/// A tree all of whose points are roots leaves none out. Where a subtree is left out, its points
/// are as far as the one above it says, which may be more than their own bounds say.
RC_GTEST_PROP(PointTree, clearance_is_a_way_on_which_no_point_touches, (std::uint32_t seed)) {
  Random random(seed);
  const auto up_to = [&](std::uint32_t n) { return std::uint32_t(random() % n); };
  const std::uint32_t points = 20 + up_to(400);
  ShellData shell = random_beam(random, 0.2, 0.05, points);
  if (up_to(2) == 0) shell.set_modes(bending_modes());
  std::vector<std::uint32_t> sizes = {1 + up_to(8)};
  while (sizes.back() < points) sizes.push_back(std::min(points, sizes.back() * (2 + up_to(6))));
  const ContactFixture nested(shell, nested_tree(shell, sizes), bumpy_field(16)),
      flat(shell, flat_tree(shell), bumpy_field(16));
  ContactTraversal tree(nested.shell, nested.tree, nested.field, {}),
      loop(flat.shell, flat.tree, flat.field, {});
  for (int trial = 0; trial < 20; ++trial) {
    const Pose a = random_pose(random, 0.8), b = random_pose(random, 0.8);
    const ModalCoordinates q(random_coordinates(random, shell.r));
    const double most = 1e-3 * up_to(800), least = loop.clearance(a, b, q, most);
    const double found = tree.clearance(a, b, q, most);
    RC_ASSERT(found >= least && found <= most);
    RC_ASSERT(found == 0.0 || loop.run_all(a, b, q).empty());
    for (int way = 0; way < 10 && found > 0.0; ++way) {
      Pose moved = a;
      moved.position += random_pose(random, 1.0).orientation * Vector3(found, 0.0, 0.0);
      RC_ASSERT(loop.run_all(moved, b, q).empty());
    }
  }
}

TEST(ContactPair, evaluations_are_independent) {
  Random random(9);
  ShellData shell = random_beam(random, 1.0, 0.05, 500);
  shell.set_modes(bending_modes());
  const ContactFixture scene(shell, nested_tree(shell, {20, 100, 500}), bumpy_field(16));
  ContactPair used = scene.pair(ContactSettings());
  for (int trial = 0; trial < 100; ++trial) {
    const Pose a = random_pose(random, 0.4), b = random_pose(random, 0.4);
    const std::vector<double> q = random_coordinates(random, shell.r);
    if (trial % 2 == 0) used.evaluate_brute_force(b, a, q);
    ContactPair fresh = scene.pair(ContactSettings());
    expect_equal_to_brute_force(used, fresh, a, b, q);
    if (HasFatalFailure()) return;
  }
}

TEST(ContactPair, contacts_come_in_order_of_their_points) {
  Random random(10);
  const ShellData shell = random_beam(random, 1.0, 0.05, 2000);
  const ContactFixture scene(shell, nested_tree(shell, {20, 100, 500, 2000}), bumpy_field(16));
  ContactPair pair = scene.pair(ContactSettings());
  for (int trial = 0; trial < 50; ++trial) {
    pair.evaluate(random_pose(random, 0.3), Pose(), {});
    const std::vector<std::uint32_t> points = touching_points(pair);
    EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
    EXPECT_EQ(std::set<std::uint32_t>(points.begin(), points.end()).size(), points.size());
  }
}

TEST(ContactPair, every_point_may_touch_at_once) {
  // A small shell deep inside a large body: more contacts than any cap but the shell's size.
  const ShellData shell = spiral_sphere(0.05, 5000);
  const ContactFixture scene(shell, nested_tree(shell, {50, 500, 5000}), cube_field(16));
  ContactPair pair = scene.pair(ContactSettings());
  EXPECT_EQ(pair.evaluate(Pose(), Pose(), {}).contacts, 5000u);
  EXPECT_EQ(pair.contacts().size(), 5000u);
}

TEST(ContactPair, a_pose_that_is_not_finite_gives_no_contact) {
  const ShellData shell = spiral_sphere(0.2, 500);
  const ContactFixture scene(shell, nested_tree(shell, {50, 500}), cube_field(16));
  ContactPair pair = scene.pair(ContactSettings());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const ContactResult& result =
      pair.evaluate({{nan, 0.0, 0.0}, Quaternion::Identity()}, Pose(), {});
  EXPECT_EQ(result.contacts, 0u);
  EXPECT_EQ(result.on_held.force, Vector3::Zero());
  const Quaternion no_rotation(nan, 0.0, 0.0, 0.0);
  EXPECT_EQ(pair.evaluate(Pose(), {Vector3::Zero(), no_rotation}, {}).contacts, 0u);
}

TEST(ContactPair, evaluate_does_not_allocate) {
  Random random(12);
  ShellData shell = random_beam(random, 1.0, 0.05, 2000);
  shell.set_modes(bending_modes());
  const ContactFixture scene(shell, nested_tree(shell, {20, 100, 500, 2000}), bumpy_field(16));
  ContactPair pair = scene.pair(ContactSettings());
  const std::vector<double> q = random_coordinates(random, shell.r);
  std::uint64_t contacts = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Pose a = random_pose(random, 0.4), b = random_pose(random, 0.4);
    NoAllocation guard;
    contacts += pair.evaluate(a, b, q).contacts;
    contacts += pair.evaluate_brute_force(a, b, q).contacts;
  }
  EXPECT_GT(contacts, 0u);
}

}  // namespace
}  // namespace haptic
