// How deep a point may get in a swept motion, and which subtrees a search leaves out: over a plane,
// where every bound is known.

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lab/oracle/contact_scene.h"
#include "rt/contact/swept_contact.h"
#include "tests/rt/contact/plane_field.h"

namespace haptic::oracle {
namespace {

constexpr double kEdge = 0.01;  // m, of a PlaneField
constexpr double kStep = SweptContact::kStep * kEdge, kSlack = SweptContact::kSlack * kEdge;

/// Points over, or in, everything with z below 0.
struct Scene {
  Scene(const std::vector<Vector3>& points, const std::vector<std::uint32_t>& sizes) {
    for (const Vector3& p : points) shell.add(p, Vector3::UnitZ());
    tree = nested_tree(shell, sizes);
  }
  SweptResult run(const SweptMotion& m, double depth) {
    const PointShell points = shell.view();
    const PointTree nodes = tree.view();
    SweptContact swept(points, nodes, field);
    const SweptResult result = swept.run(m, depth);
    visited = swept.visited_nodes(), followed = swept.followed_points();
    return result;
  }
  PlaneField field;
  ShellData shell;
  TreeData tree;
  std::uint32_t visited = 0, followed = 0;
};

SweptMotion down(double from, double by) {
  SweptMotion m;
  m.shell_from.position.z() = from;
  m.shell_to.position.z() = from - by;
  return m;
}

TEST(SweptBounds, a_point_stops_at_the_last_instant_within_the_depth_and_its_slack) {
  // Sixteen instants, the fifth a little deeper than permitted.
  Scene scene({{0.0, 0.0, 0.0}}, {1});
  for (const double over : {0.0, 0.9, 1.1}) {
    const SweptResult result = scene.run(down(0.0, 16.0 * kStep), 5.0 * kStep - over * kSlack);
    EXPECT_TRUE(result.stopped);
    EXPECT_EQ(result.fraction, (over < 1.0 ? 5.0 : 4.0) / 16.0) << over;
    EXPECT_NEAR(result.position.z(), -result.fraction * 16.0 * kStep, 1e-15);
    EXPECT_EQ(result.outward, Vector3(0.0, 0.0, 1.0));
  }
}

TEST(SweptBounds, a_point_that_begins_too_deep_deepens_by_the_slack_and_no_more) {
  Scene scene({{0.0, 0.0, 0.0}}, {1});
  for (const double depth : {0.0, 0.5 * kEdge}) {
    EXPECT_EQ(scene.run(down(-kEdge, 0.9 * kSlack), depth).fraction, 1.0);
    EXPECT_EQ(scene.run(down(-kEdge, 1.1 * kSlack), depth).fraction, 0.0);
  }
  // Deep is what it is called beyond the permitted depth only.
  EXPECT_EQ(scene.run(down(-kEdge, 1.1 * kSlack), 1.2 * kEdge).fraction, 1.0);
}

TEST(SweptBounds, a_point_that_has_left_may_return_only_to_the_permitted_depth) {
  // On an arm that swings over the top: in by three voxels, out by one, in by three again.
  const double lever = 6.0 * kEdge, pivot = -5.0 * kEdge, angle = std::acos(1.0 / 3.0);
  Scene scene({{0.0, 0.0, lever}}, {1});
  SweptMotion m;
  m.shell_from = {{0.0, 0.0, pivot}, rotation_exponential({0.0, -angle, 0.0})};
  m.shell_to = {{0.0, 0.0, pivot}, rotation_exponential({0.0, angle, 0.0})};
  const double depth = 0.5 * kEdge;
  // An instant is 0.9 % of the way.
  const double there = std::acos((-depth - pivot) / lever);
  EXPECT_NEAR(scene.run(m, depth).fraction, (angle + there) / (2.0 * angle), 0.01);
  // Deep enough permitted, it is followed to the end.
  EXPECT_EQ(scene.run(m, 3.1 * kEdge).fraction, 1.0);
}

TEST(SweptBounds, a_point_that_deforms_is_taken_to_turn_at_its_longest_lever) {
  ShellData data;
  data.add({0.3, 0.0, 0.0}, Vector3::UnitZ());
  data.set_modes({{[](const Vector3&) -> Vector3 { return Vector3::UnitX(); },
                   [](const Vector3&) -> Matrix3 { return Matrix3::Zero(); }}});
  const PointShell shell = data.view();
  PlaneField field;
  SweptPath path(shell, field);
  const std::vector<double> from = {0.0}, to = {0.1};
  SweptMotion m;
  m.q_from = from, m.q_to = to;
  m.shell_to = {{0.0, 0.0, 0.05}, rotation_exponential({0.0, 0.0, 0.2})};
  ASSERT_TRUE(path.set(m));
  // Translation, deformation, and a turn of 0.2 at 0.3 + 0.1 m; positions are floats.
  EXPECT_NEAR(path.travel(path.way(0)), 0.05 + 0.1 + 0.2 * 0.4, 1e-8);
  // The bound of all points is reached by this one.
  EXPECT_NEAR(path.travel(), path.travel(path.way(0)), 1e-8);
}

TEST(SweptBounds, a_subtree_is_searched_up_to_its_radius_and_no_further) {
  // A node that does not move, its other point below it; half of the turn is 5 % of the radius.
  constexpr double kRadius = 0.125, kTurn = 0.1;
  Scene scene({{0.0, 0.0, 0.0}, {0.0, 0.0, -kRadius}}, {1, 2});
  const auto search = [&](double height) {
    SweptMotion m;
    m.shell_from.position.z() = m.shell_to.position.z() = height;
    m.shell_to.orientation = rotation_exponential({0.0, 0.0, kTurn});
    EXPECT_EQ(scene.run(m, kEdge).fraction, 1.0);
    return scene.visited;
  };
  EXPECT_EQ(search(0.99 * kRadius), 3u);
  EXPECT_EQ(scene.followed, 1u);  // the lower one, inside all the while
  EXPECT_EQ(search(1.0001 * kRadius), 3u);
  EXPECT_EQ(scene.followed, 1u);  // near enough for all that is known from the middle
  EXPECT_EQ(search((1.0 + 0.5 * kTurn) * kRadius + 1e-4), 1u);
  EXPECT_EQ(scene.followed, 0u);
}

}  // namespace
}  // namespace haptic::oracle
