#include "rt/worlds/cloth/collision/hierarchy_topology.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "lab/samples/moving_cloths.h"
#include "shared/error.h"
#include "tests/rt/worlds/cloth/collision/naive_refit.h"

namespace haptic::cloth {
namespace {

HierarchyTopology tree_of(std::uint32_t side, std::uint32_t branching) {
  const ClothMesh mesh = make_grid({side, side}, 1.0, 1.0);
  return {mesh.triangles, positions(mesh), branching};
}

TEST(HierarchyTopology, binary_trees_have_2n_minus_1_nodes) {
  const std::uint32_t nodes[5] = {323, 1443, 3363, 6083, 9603};
  for (int k = 0; k < 5; ++k) EXPECT_EQ(tree_of(kSides[k], 2).size(), nodes[k]);
}

TEST(HierarchyTopology, quaternary_trees_have_the_nodes_of_two_median_splits) {
  const std::uint32_t nodes[5] = {247, 1063, 2681, 4407, 6873};
  for (int k = 0; k < 5; ++k) EXPECT_EQ(tree_of(kSides[k], 4).size(), nodes[k]);
}

TEST(HierarchyTopology, a_queue_with_duplicates_handles_a_node_once_a_dirty_leaf) {
  const std::size_t updates[5] = {1364, 7640, 19818, 38492, 63838};
  for (int k = 0; k < 5; ++k) {
    const HierarchyTopology tree = tree_of(kSides[k], 2);
    const std::vector<std::uint32_t> all(tree.leaves().begin(), tree.leaves().end());
    EXPECT_EQ(naive_refit_updates(tree, all), updates[k]);
  }
}

TEST(HierarchyTopology, nodes_are_breadth_first_and_each_triangle_is_one_leaf) {
  for (const std::uint32_t branching : {2u, 4u, 8u}) {
    const HierarchyTopology tree = tree_of(11, branching);
    std::vector<int> seen(200, 0);
    std::uint32_t next = 1;
    std::size_t leaves = 0;
    EXPECT_EQ(tree.parent(0), HierarchyTopology::kNone);
    for (std::uint32_t node = 0; node < tree.size(); ++node) {
      if (tree.is_leaf(node)) {
        ++seen[tree.triangle(node)];
        EXPECT_EQ(tree.leaves()[leaves++], node);
        continue;
      }
      EXPECT_EQ(tree.triangle(node), HierarchyTopology::kNone);
      EXPECT_EQ(tree.first_child(node), next);  // siblings consecutive, parents in order
      EXPECT_GE(tree.child_count(node), 2u);
      EXPECT_LE(tree.child_count(node), branching);
      for (std::uint32_t k = 0; k < tree.child_count(node); ++k) {
        EXPECT_EQ(tree.parent(next++), node);
      }
    }
    EXPECT_EQ(next, tree.size());
    EXPECT_EQ(seen, std::vector<int>(200, 1));
    // Depth first by after(): every node once, and a subtree is between a node and its after().
    std::size_t visited = 0;
    for (std::uint32_t node = 0; node < tree.size(); ++visited) {
      node = tree.is_leaf(node) ? tree.after(node) : tree.first_child(node);
    }
    EXPECT_EQ(visited, tree.size());
    EXPECT_EQ(tree.after(0), tree.size());
  }
}

TEST(HierarchyTopology, a_split_is_at_the_median_of_the_longest_axis) {
  // 4 x 1 squares along x: the halves of the root are the triangles left and right of x = 2.
  const ClothMesh mesh = make_grid({5, 2}, 4.0, 1.0);
  const HierarchyTopology tree(mesh.triangles, positions(mesh), 2);
  ASSERT_EQ(tree.size(), 15u);
  for (const std::uint32_t leaf : tree.leaves()) {
    std::uint32_t top = leaf;
    while (tree.parent(top) != 0) top = tree.parent(top);
    EXPECT_EQ(top, tree.triangle(leaf) < 4 ? 1u : 2u);
  }
  // One of three triangles is alone: floor(n / 2) on the left.
  const HierarchyTopology three(std::span(mesh.triangles).first(3), positions(mesh), 2);
  EXPECT_TRUE(three.is_leaf(1));
  EXPECT_FALSE(three.is_leaf(2));
  // With 4 children the lone half is a child itself.
  EXPECT_EQ(HierarchyTopology(std::span(mesh.triangles).first(3), positions(mesh), 4).size(), 4u);
}

TEST(HierarchyTopology, a_single_triangle_is_the_root) {
  const std::vector<TriangleCorners> triangles = {{0, 1, 2}};
  const std::vector<double> x = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  const HierarchyTopology tree(triangles, x, 8);
  EXPECT_EQ(tree.size(), 1u);
  EXPECT_EQ(tree.triangle(0), 0u);
  EXPECT_EQ(tree.after(0), 1u);
}

TEST(HierarchyTopology, bad_input_is_refused_in_one_line) {
  const auto refusal = [](std::vector<TriangleCorners> triangles, std::vector<double> x,
                          std::uint32_t branching) -> std::string {
    try {
      HierarchyTopology(triangles, x, branching);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const std::vector<double> x = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  EXPECT_EQ(refusal({{0, 1, 2}}, x, 2), "");
  EXPECT_EQ(refusal({{0, 1, 2}}, x, 3), "branching: 3, expected 2, 4 or 8");
  EXPECT_EQ(refusal({}, x, 2), "triangles: 0, expected 1 to 2^30");
  EXPECT_EQ(refusal({{0, 1, 3}}, x, 2), "triangle 0: vertex 3, expected a number below 3");
  EXPECT_EQ(refusal({{0, 1, 2}}, {0.0}, 2), "positions: 1 values, expected 3 a particle");
  std::vector<double> bad = x;
  bad[4] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal({{0, 1, 2}}, bad, 2),
            "vertex 1: a coordinate that is not finite, expected numbers up to 1e100 [m]");
}

}  // namespace
}  // namespace haptic::cloth
