// Which points a continuous detection follows along their path: those that the look from the
// interval's middle cannot leave out, and no other.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lab/oracle/contact_scene.h"
#include "rt/contact/swept_contact.h"
#include "tests/rt/contact/plane_field.h"

namespace haptic::oracle {
namespace {

// Across the plane's surface: more than the three instants for which a list is followed as it is,
// less than the sixteen of one interval, and a power of two so that nothing rounds.
constexpr double kAlong = 0x1p-6;
// Of positions [voxels], subtracted by a search in addition to half the motion.
constexpr double kRounding = 1e-6;

/// Points in a row over the plane, at any heights, that move along it.
class Row {
 public:
  explicit Row(const std::vector<double>& heights) {
    for (std::size_t i = 0; i < heights.size(); ++i) {
      shell_.add({0.01 * static_cast<double>(i), 0.0, heights[i]}, Vector3::UnitZ());
      near_.push_back({static_cast<std::uint32_t>(i), std::max(0.0, heights[i])});
    }
    tree_ = flat_tree(shell_);
  }

  /// Another tree over the same points, each under any parent; the list has a point for every node.
  void scatter(const std::vector<std::uint32_t>& sizes, Random& random) {
    tree_ = nested_tree(shell_, sizes, &random);
    const std::vector<NearPoint> once = near_;
    near_.clear();
    for (const std::uint32_t point : tree_.point) near_.push_back(once[point]);
  }

  /// Points followed, by a list of all of them or by a search of the tree, lifted by `lift`.
  std::uint32_t followed(bool listed, double lift) {
    const PointShell points = shell_.view();
    const PointTree tree = tree_.view();
    SweptContact swept(points, tree, field_);
    if (listed) swept.begin({.near = near_, .margin = 1.0});
    SweptMotion m;
    m.shell_from.position = {0.0, 0.0, lift};
    m.shell_to.position = {kAlong, 0.0, lift};
    const SweptResult result = swept.run(m, 10.0);
    EXPECT_EQ(result.fraction, 1.0);
    EXPECT_EQ(swept.visited_nodes() == 0, listed);
    return swept.followed_points();
  }
  double half_motion() const { return 0.5 * kAlong + kRounding * field_.edge(); }

 private:
  PlaneField field_;
  ShellData shell_;
  TreeData tree_;
  std::vector<NearPoint> near_;
};

TEST(SweptCulling, a_point_is_followed_up_to_half_the_motion_and_no_further) {
  for (const bool listed : {true, false}) {
    Row row({0.0});
    const double half = row.half_motion();
    const double none = std::numeric_limits<double>::infinity();
    // Exactly there it is still in question: a free radius has to be larger than the motion.
    EXPECT_EQ(row.followed(listed, half), 1u) << listed;
    EXPECT_EQ(row.followed(listed, std::nextafter(half, none)), 0u) << listed;
    EXPECT_EQ(row.followed(listed, std::nextafter(half, 0.0)), 1u) << listed;
    EXPECT_EQ(row.followed(listed, 0.0), 1u) << listed;
    EXPECT_EQ(row.followed(listed, -1.0), 1u) << listed;  // inside all the while
  }
}

TEST(SweptCulling, each_of_many_points_is_judged_by_itself) {
  // More than two batches, the heights in no order.
  std::vector<double> heights;
  std::uint32_t expected = 0;
  const double half = Row({0.0}).half_motion();
  for (int i = 0; i < 41; ++i) {
    heights.push_back((i * 17 % 41 - 10) * 0x1p-11);
    expected += heights.back() <= half ? 1 : 0;
  }
  ASSERT_EQ(expected, 27u);
  Row row(heights);
  EXPECT_EQ(row.followed(true, 0.0), expected);
  EXPECT_EQ(row.followed(false, 0.0), expected);
}

/// A point that the list says is `room` from the plane, which decides whether it is followed.
class Listed {
 public:
  Listed() {
    shell_.add({0.0, 0.0, 1.0}, Vector3::UnitZ());
    tree_ = flat_tree(shell_);
  }
  /// Points followed in a motion by `along`, the last of `runs` of them.
  std::uint32_t followed(double room, double along, int runs = 1, double margin = 1.0) {
    const PointShell points = shell_.view();
    const PointTree tree = tree_.view();
    SweptContact swept(points, tree, field_);
    const std::vector<NearPoint> near = {{0, room}};
    swept.begin({.near = near, .margin = margin});
    SweptMotion m;
    for (int run = 0; run < runs; ++run) {
      m.shell_from = m.shell_to;
      m.shell_to.position.x() += along;
      EXPECT_EQ(swept.run(m, 1.0).fraction, 1.0);
    }
    looks = swept.looks(), visited = swept.visited_nodes(), needed = swept.needed_margin();
    return swept.followed_points();
  }
  double rounding() const { return kRounding * field_.edge(); }
  double step() const { return SweptContact::kStep * field_.edge(); }

  std::uint32_t looks = 0, visited = 0;  // of the last run
  double needed = 0.0;                   // m

 private:
  PlaneField field_;
  ShellData shell_;
  TreeData tree_;
};

// A model's tree need not be ours: a point may be in any branches, and then a touch lists it as
// often.
TEST(SweptCulling, a_point_in_many_branches_is_followed_once) {
  const std::vector<double> heights(40, 0.0);
  Random random{5};
  for (const bool listed : {true, false}) {
    Row row(heights);
    row.scatter({10, 20, 40}, random);
    EXPECT_EQ(row.followed(listed, 0.0), heights.size()) << listed;
    EXPECT_EQ(row.followed(listed, -1.0), heights.size()) << listed;
  }
}

TEST(SweptCulling, a_listed_point_is_followed_up_to_all_motion_since_the_touch) {
  constexpr double kShort = 0x1p-10;  // less than three instants
  Listed listed;
  const double infinity = std::numeric_limits<double>::infinity();
  for (int runs = 1; runs <= 3; ++runs) {
    // Each run so far by what it moved and a rounding, this one the same.
    const double reach = runs * (kShort + listed.rounding());
    EXPECT_EQ(listed.followed(reach * (1.0 - 1e-12), kShort, runs), 1u) << runs;
    EXPECT_EQ(listed.followed(reach * (1.0 + 1e-12), kShort, runs), 0u) << runs;
  }
  const double reach = listed.rounding() + kShort;
  EXPECT_EQ(listed.followed(reach, kShort), 1u);
  EXPECT_EQ(listed.followed(std::nextafter(reach, infinity), kShort), 0u);
}

TEST(SweptCulling, a_list_is_looked_at_from_the_middle_beyond_three_instants) {
  Listed listed;
  // At the beginning and at each instant; beyond three the look from the middle leaves it out.
  EXPECT_EQ(listed.followed(0.0, 2.9 * listed.step()), 1u);
  EXPECT_EQ(listed.looks, 1u + 3u);
  EXPECT_EQ(listed.followed(0.0, 3.1 * listed.step()), 0u);
  EXPECT_EQ(listed.looks, 1u);
}

TEST(SweptCulling, the_margin_that_is_needed_is_the_least_that_a_list_serves_with) {
  constexpr double kShort = 0x1p-10;
  Listed listed;
  for (int runs = 1; runs <= 3; ++runs) {
    listed.followed(1.0, kShort, runs, 1.0);
    const double needed = listed.needed;
    EXPECT_NEAR(needed, runs * kShort, (runs + 2) * listed.rounding());
    listed.followed(1.0, kShort, runs, needed);
    EXPECT_EQ(listed.visited, 0u) << runs;  // the list alone
    listed.followed(1.0, kShort, runs, needed - 1.5 * listed.rounding());
    EXPECT_GT(listed.visited, 0u) << runs;  // a search of the tree
  }
}

TEST(SweptCulling, each_instant_of_a_deforming_field_counts_for_what_it_costs) {
  // A point half a voxel deep in a plane that slides along itself by 20 voxels in steps of 1/8.
  ShellData shell;
  shell.add({0.0, 0.0, 0.0}, Vector3::UnitZ());
  const TreeData tree = nested_tree(shell, {1});
  const PointShell points = shell.view();
  const PointTree nodes = tree.view();
  PlaneField field(3);
  SweptContact swept(points, nodes, field);
  const std::vector<double> from = {0.0, 0.0, 0.0}, to = {20.0 * field.edge(), 0.0, 0.0};
  SweptMotion m;
  m.shell_from.position.z() = m.shell_to.position.z() = -0.5 * field.edge();
  m.field_q_from = from, m.field_q_to = to;
  EXPECT_EQ(swept.run(m, field.edge()).fraction, 1.0);
  EXPECT_GE(field.deformed, 160u);
  for (const std::uint32_t most : {1000u, 4000u}) {
    field.deformed = 0;
    swept.begin({.most_looks = most});
    const SweptResult cut = swept.run(m, field.edge());
    EXPECT_LT(cut.fraction, 1.0);
    EXPECT_FALSE(cut.stopped);
    // Once for the beginning of the motion; the point itself is one query at each instant.
    EXPECT_LE(field.deformed, 1 + most / PlaneField::kCostOfDeform);
    EXPECT_GE(field.deformed, most / (PlaneField::kCostOfDeform + 1));
  }
}

TEST(SweptCulling, looks_that_just_suffice_take_the_motion_through) {
  Random random(31);
  const std::vector<std::uint32_t> sizes = {10, 60, 300};
  const ShellData shell = random_beam(random, 0.5, 0.05, sizes.back());
  const TreeData tree = nested_tree(shell, sizes);
  const PointShell points = shell.view();
  const PointTree nodes = tree.view();
  PlaneField field;
  SweptContact swept(points, nodes, field);
  SweptMotion m;
  // Low over the plane: in question, never inside.
  m.shell_from.position.z() = m.shell_to.position.z() = 0.0505;
  m.shell_to.position.x() = 0.05;
  ASSERT_EQ(swept.run(m, 0.01).fraction, 1.0);
  const std::uint32_t looks = swept.looks();
  ASSERT_GT(swept.followed_points(), 10u);
  swept.begin({.most_looks = looks});
  EXPECT_EQ(swept.run(m, 0.01).fraction, 1.0);
  EXPECT_EQ(swept.looks(), looks);
  swept.begin({.most_looks = looks - 1});
  const SweptResult cut = swept.run(m, 0.01);
  EXPECT_LT(cut.fraction, 1.0);
  EXPECT_GT(cut.fraction, 0.5);  // what is left over is the last look of all
  EXPECT_FALSE(cut.stopped);
}

}  // namespace
}  // namespace haptic::oracle
