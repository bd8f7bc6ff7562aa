#include "rt/worlds/condensed/contact_row.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <array>
#include <vector>

#include "tests/rt/worlds/condensed/condensed_block.h"
#include "tests/support/no_allocation.h"

namespace haptic::condensed {
namespace {

Eigen::Vector3d vector_of_three(const std::array<double, 3>& v) {
  return {v[0], v[1], v[2]};
}

TEST(ContactRow, a_point_in_a_triangle_moves_as_its_vertices) {
  const CondensedBlock block;
  const CondensedModel model = block.model();
  const Eigen::VectorXd u = Eigen::VectorXd::Random(block.dof());
  const std::span<const double> view(u.data(), static_cast<std::size_t>(u.size()));
  for (std::size_t t = 0; t < model.triangle_count(); t += 7) {
    const std::array<double, 3> at{0.2, 0.5, 0.3};
    Eigen::Vector3d expected = Eigen::Vector3d::Zero();
    for (std::size_t i = 0; i < 3; ++i) {
      const ContactRow vertex = row_of_vertex(model, model.triangles[3 * t + i]);
      EXPECT_LE(vertex.count, CondensedModel::kCorners);
      expected += at[i] * vector_of_three(displacement_at(vertex, view));
    }
    const ContactRow row = row_in_triangle(model, t, at);
    // Sums of at most 24 terms of order 1.
    EXPECT_LT((vector_of_three(displacement_at(row, view)) - expected).norm(), 1e-14);
    for (std::size_t i = 0; i < row.count; ++i) {
      for (std::size_t j = 0; j < i; ++j) EXPECT_NE(row.nodes[i], row.nodes[j]);
    }
  }
}

/// Away from the support, a rigid translation of the nodes is that of the point: 1e-14, the sum of
/// the weights. At the support the share of the fixed nodes is missing.
TEST(ContactRow, fixed_nodes_take_their_share) {
  const CondensedBlock block;
  const CondensedModel model = block.model();
  EXPECT_NEAR(row_of_vertex(model, block.vertex_at(0.05, 0.05, 0.1)).free_share(), 1.0, 1e-14);
  EXPECT_NEAR(row_of_vertex(model, block.vertex_at(0.0, 0.0125, 0.0125)).free_share(), 0.5, 1e-14);
  const ContactRow fixed = row_of_vertex(model, block.vertex_at(0.025, 0.025, 0.0));
  EXPECT_EQ(fixed.count, 0u);
  EXPECT_EQ(fixed.free_share(), 0.0);
}

/// Three vertices of one element with all corners free: eight nodes, not 24.
TEST(ContactRow, nodes_that_vertices_share_are_merged) {
  CondensedModel model;
  const std::array<std::uint32_t, 3> triangle{0, 1, 2};
  std::vector<std::uint32_t> nodes;
  std::vector<double> weights;
  for (std::uint32_t v = 0; v < 3; ++v) {
    for (std::uint32_t i = 0; i < 8; ++i) {
      nodes.push_back((i + v) % 8);
      weights.push_back(0.125);
    }
  }
  const std::array<double, 9> places{};
  model.vertices = places;
  model.triangles = triangle;
  model.embedding_nodes = nodes;
  model.embedding_weights = weights;
  const std::array<double, 3> middle{0.25, 0.25, 0.5};
  const ContactRow row = row_in_triangle(model, 0, middle);
  ASSERT_EQ(row.count, 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(row.nodes[i], i);
    EXPECT_EQ(row.weights[i], 0.125);  // sums of powers of two
  }
}

TEST(ContactRow, rows_with_another_node_weight_or_count_differ) {
  const CondensedBlock block;
  const CondensedModel model = block.model();
  const ContactRow row = row_of_vertex(model, block.vertex_at(0.0125, 0.0125, 0.1));
  ContactRow other = row;
  EXPECT_TRUE(other == row);
  other.weights[1] *= 1.0 + 1e-15;
  EXPECT_FALSE(other == row);
  other = row;
  other.nodes[2] += 1;
  EXPECT_FALSE(other == row);
  other = row;
  --other.count;
  EXPECT_FALSE(other == row);
}

TEST(ContactRow, is_made_without_allocation) {
  const CondensedBlock block;
  const CondensedModel model = block.model();
  const std::array<double, 3> at{0.2, 0.5, 0.3};
  const NoAllocation guard;
  EXPECT_GT(row_in_triangle(model, 3, at).count, 0u);
}

}  // namespace
}  // namespace haptic::condensed
