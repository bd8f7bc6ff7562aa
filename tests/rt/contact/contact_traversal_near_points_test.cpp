// The list that a traversal makes of the points near the field, and the continuous detection that
// follows it: the same contacts whatever the margin, the same stop as a search of all points.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rt/contact/swept_contact.h"
#include "tests/rt/contact/traversal_scene.h"
#include "tests/rt/geometry/deformed_bar.h"
#include "tests/support/no_allocation.h"

namespace haptic::oracle {
namespace {

using Uniform = std::uniform_real_distribution<double>;

/// Whether a point that is not listed stays out of contact within the margin: at a few places.
bool is_free(const ContactFixture& scene, const Vector3& p, double margin, Random& random) {
  for (int k = 0; k < 3; ++k) {
    const double length = k == 0 ? margin : Uniform(0.0, margin)(random);
    if (scene.field.distance(p + length * random_direction(random)) < 0.0) return false;
  }
  return true;
}

RC_GTEST_PROP(NearPoints, any_margin_leaves_the_contacts_as_they_are, (std::uint32_t seed)) {
  Random random(seed);
  ShellData shell = random_beam(random, 1.0, 0.05, 600);
  const bool ordered = random() % 2 == 0;
  const std::vector<std::uint32_t> sizes = {10, 50, 200, 600};
  if (ordered) shell = in_tree_order(shell, sizes);
  if (random() % 2 == 0) shell.set_modes(bending_modes());
  const ContactFixture scene(shell, nested_tree(shell, sizes), bumpy_field(32));
  TraversalSettings settings;
  settings.temporal_coherence = random() % 2 == 0;
  ContactTraversal plain = scene.traversal(settings);
  settings.near_points = true;
  ContactTraversal listing = scene.traversal(settings);
  RandomWalk state(random, shell.r, 0.01);
  for (int cycle = 0; cycle < 40; ++cycle) {
    state.advance();
    if (random() % 10 == 0) state.jump();
    const double margin =
        random() % 5 == 0 ? ContactTraversal::kNoMargin : Uniform(0.0, 0.3)(random);
    const ModalCoordinates q(state.q());
    const auto expected = copy(plain.run(state.pose(), Pose{}, q));
    const auto touching = listing.run(state.pose(), Pose{}, q, {}, margin);
    RC_ASSERT(std::equal(touching.begin(), touching.end(), expected.begin(), expected.end()));
    std::vector<double> room(shell.size(), std::numeric_limits<double>::infinity());
    for (const NearPoint& near : listing.near()) {
      RC_ASSERT(near.room <= margin);
      room[near.point] = near.room;
    }
    RC_ASSERT(margin >= 0.0 || listing.near().empty());
    if (margin < 0.0) continue;
    for (const TouchingPoint& t : touching) RC_ASSERT(room[t.point] == t.distance);
    for (std::uint32_t s = 0; s < shell.size(); ++s) {
      if (room[s] <= margin) continue;
      const Vector3 p = state.pose().to_world(scene.shell.position(s, q));
      RC_ASSERT(is_free(scene, p, margin, random));
    }
  }
}

/// A cycle's motions after a touch: deformations, then a step of either body and the remaining step
/// along a surface. Two detections, one with the touch's list, one without any.
class Cycle {
 public:
  Cycle(Random& random, const PointShell& shell, const PointTree& tree, SignedField& field)
      : random_(&random),
        field_(&field),
        traversal_(shell, tree, field, {.near_points = true}),
        listed_(shell, tree, field),
        searched_(shell, tree, field),
        q_(shell.dimension()),
        field_q_(field.dimension()) {}

  /// @param size  of the motions [m]; @returns false if the two disagree
  bool run(double size, double margin, double depth) {
    const Pose shell = random_pose(*random_, 0.5), at = random_pose(*random_, 0.1);
    draw(q_, 0.02), draw(field_q_, 0.1);
    field_->deform(field_q_);
    traversal_.run(shell, at, ModalCoordinates(q_), field_q_, margin);
    listed_.begin({.near = traversal_.near(), .margin = margin});
    SweptMotion m{shell, shell, at, at, q_, q_, field_q_, field_q_};
    std::vector<double> q = q_, field_q = field_q_;
    for (double& x : q) x += size * Uniform(-0.1, 0.1)(*random_);
    m.q_to = q;
    if (!same(m, depth)) return false;
    m.q_from = q;
    for (double& x : field_q) x += size * Uniform(-0.1, 0.1)(*random_);
    m.field_q_to = field_q;
    if (!same(m, depth)) return false;
    m.field_q_from = field_q;
    for (int slide = 0; slide < 3; ++slide) {
      Pose& to = slide == 0 ? m.shell_to : m.field_to;
      to.position += Uniform(0.0, 0.5)(*random_) * random_vector(*random_, size);
      to.orientation =
          (rotation_exponential(random_vector(*random_, size)) * to.orientation).normalized();
      if (!same(m, depth)) return false;
      m.shell_from = m.shell_to, m.field_from = m.field_to;
    }
    return true;
  }

  int from_list = 0, searched = 0, stopped = 0;

 private:
  void draw(std::vector<double>& q, double size) {
    for (double& x : q) x = Uniform(-size, size)(*random_);
  }
  bool same(const SweptMotion& m, double depth) {
    const SweptResult a = listed_.run(m, depth);
    (listed_.visited_nodes() == 0 ? from_list : searched) += 1;
    stopped += a.stopped && listed_.visited_nodes() == 0 ? 1 : 0;
    const SweptResult b = searched_.run(m, depth);
    return a.fraction == b.fraction && a.stopped == b.stopped && a.point == b.point &&
           a.position == b.position && a.outward == b.outward;
  }

  Random* random_;
  SignedField* field_;
  ContactTraversal traversal_;
  SweptContact listed_, searched_;
  std::vector<double> q_, field_q_;
};

TEST(NearPoints, a_motion_stops_where_a_search_of_all_points_stops_it) {
  Random random(11);
  int from_list = 0, searched = 0, stopped = 0;
  for (int trial = 0; trial < 60; ++trial) {
    ShellData shell = random_beam(random, 0.3 + Uniform(0.0, 0.4)(random), 0.05, 300);
    if (trial % 2 == 0) shell.set_modes(bending_modes());
    const ContactFixture scene(shell, nested_tree(shell, {10, 60, 300}), bumpy_field(32));
    DistanceField field = scene.field;
    const double h = field.edge();
    Cycle cycle(random, scene.shell, scene.tree, field);
    for (int k = 0; k < 20; ++k) {
      const double size = Uniform(0.0, 3.0)(random) * h;
      ASSERT_TRUE(cycle.run(size, Uniform(0.0, 10.0)(random) * h, Uniform(0.1, 1.0)(random) * h))
          << trial << ' ' << k;
    }
    from_list += cycle.from_list, searched += cycle.searched, stopped += cycle.stopped;
  }
  EXPECT_GT(from_list, 1000);
  EXPECT_GT(searched, 500);
  EXPECT_GT(stopped, 100);
}

TEST(NearPoints, a_motion_stops_in_a_deforming_field_too) {
  Random random(12);
  const Bar bar;
  DeformedField field = bar.field();
  const double h = field.edge();
  int from_list = 0, searched = 0, stopped = 0;
  for (int trial = 0; trial < 20; ++trial) {
    ShellData shell = random_beam(random, 0.6, 0.05, 200);
    if (trial % 2 == 0) shell.set_modes(bending_modes());
    const PointShell points = shell.view();
    const TreeData tree_data = nested_tree(shell, {10, 50, 200});
    const PointTree tree = tree_data.view();
    Cycle cycle(random, points, tree, field);
    for (int k = 0; k < 20; ++k) {
      ASSERT_TRUE(cycle.run(Uniform(0.0, 2.0)(random) * h, Uniform(0.0, 10.0)(random) * h, 0.5 * h))
          << trial << ' ' << k;
    }
    from_list += cycle.from_list, searched += cycle.searched, stopped += cycle.stopped;
  }
  EXPECT_GT(from_list, 300);
  EXPECT_GT(searched, 100);
  EXPECT_GT(stopped, 30);
}

/// The points of the first levels alone, which is what a limit of levels leaves of the tree.
TEST(NearPoints, points_of_levels_left_out_do_not_stop_a_motion) {
  Random random(13);
  const std::vector<std::uint32_t> sizes = {10, 60, 300};
  int stopped = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const ShellData shell = random_beam(random, 0.5, 0.05, sizes.back());
    const ContactFixture whole(shell, nested_tree(shell, sizes), bumpy_field(32));
    ShellData few;
    for (std::uint32_t s = 0; s < sizes[1]; ++s) {
      few.add(whole.shell.rest_position(s), whole.shell.rest_normal(s));
    }
    const ContactFixture coarse(few, nested_tree(few, {sizes[0], sizes[1]}), bumpy_field(32));
    DistanceField field = whole.field;
    SweptContact limited(whole.shell, whole.tree, field),
        expected(coarse.shell, coarse.tree, field);
    limited.begin({.level = 2});
    for (int k = 0; k < 20; ++k) {
      SweptMotion m;
      m.shell_from = random_pose(random, 0.6);
      m.shell_to = m.shell_from;
      m.shell_to.position += random_vector(random, 0.2);
      const SweptResult a = limited.run(m, 0.01), b = expected.run(m, 0.01);
      ASSERT_EQ(a.fraction, b.fraction);
      ASSERT_EQ(a.stopped, b.stopped);
      ASSERT_EQ(a.point, b.point);
      stopped += a.stopped ? 1 : 0;
    }
  }
  EXPECT_GT(stopped, 100);
}

TEST(NearPoints, looks_are_bounded_and_what_the_list_covers_is_always_done) {
  Random random(14);
  const std::vector<std::uint32_t> sizes = {20, 100, 500, 2000};
  ShellData shell = in_tree_order(random_beam(random, 0.8, 0.05, sizes.back()), sizes);
  const ContactFixture scene(shell, nested_tree(shell, sizes), bumpy_field(64));
  DistanceField field = scene.field;
  const double h = field.edge();
  constexpr std::uint32_t kNodes = 300;
  const std::uint32_t most = 4 * kNodes;
  TraversalSettings settings{.near_points = true};
  settings.degradation.warm_nodes = kNodes;
  ContactTraversal traversal(scene.shell, scene.tree, field, settings);
  SweptContact swept(scene.shell, scene.tree, field);
  int cut = 0, shortened = 0, beyond = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Pose at = random_pose(random, 0.5);
    const double margin = Uniform(0.125, 4.0)(random) * h;
    traversal.run(at, Pose{}, ModalCoordinates(0), {}, margin);
    if (!traversal.was_cut()) continue;
    ++cut;
    swept.begin({traversal.near(), margin, traversal.level(), most});
    SweptMotion m;
    m.shell_from = m.shell_to = at;
    const double length = std::exp2(Uniform(-6.0, 8.0)(random)) * h;
    m.shell_to.position += length * random_direction(random);
    const SweptResult result = swept.run(m, 10.0 * h);  // hardly anything is too deep
    // A search and, where it did not get far, the list.
    ASSERT_LE(swept.looks(), 2 * most);
    if (result.stopped || result.fraction == 1.0) continue;
    ++shortened;
    // Three instants after the first are within the looks for all of a list, which is no longer
    // than the touch's nodes; half of what the margin covers may lie in an interval not begun.
    ASSERT_LE(traversal.near().size(), kNodes);
    const double sure = std::min(3.0 * SweptContact::kStep * h, 0.49 * (margin - 1e-5 * h));
    ASSERT_GE(result.fraction * length, 0.99 * sure);
    beyond += result.fraction * length > margin ? 1 : 0;
  }
  EXPECT_GT(cut, 300);
  EXPECT_GT(shortened, 30);
  EXPECT_GT(beyond, 3);
}

TEST(NearPoints, detection_by_the_list_does_not_allocate) {
  Random random(15);
  ShellData shell = random_beam(random, 0.5, 0.05, 400);
  const ContactFixture scene(shell, nested_tree(shell, {20, 100, 400}), bumpy_field(32));
  DistanceField field = scene.field;
  ContactTraversal traversal(scene.shell, scene.tree, field, {.near_points = true});
  SweptContact swept(scene.shell, scene.tree, field);
  const ModalCoordinates rigid(0);
  std::uint32_t followed = 0;
  for (int trial = 0; trial < 50; ++trial) {
    SweptMotion m;
    m.shell_from = m.shell_to = random_pose(random, 0.5);
    m.shell_to.position.z() += 0.01;
    NoAllocation guard;
    traversal.run(m.shell_from, Pose{}, rigid, {}, 0.02);
    swept.begin({.near = traversal.near(), .margin = 0.02});
    swept.run(m, 0.01);
    EXPECT_EQ(swept.visited_nodes(), 0u);
    followed += swept.followed_points();
  }
  EXPECT_GT(followed, 100u);
}

}  // namespace
}  // namespace haptic::oracle
