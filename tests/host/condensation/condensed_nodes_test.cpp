#include "host/condensation/condensed_nodes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/host/condensation/held_block.h"

namespace haptic {
namespace {

// The cube of the text: 7^3 elements, bottom face fixed (Sedaghat 2011, tables 6-1 and 6-2).
TEST(CondensedNodes, the_cube_of_the_text_has_1152_condensed_degrees_of_freedom) {
  const StvkModel cube = held_block(7, 7, 7);
  EXPECT_EQ(cube.mesh().element_count(), 343);
  EXPECT_EQ(cube.dof_count(), 1536);
  const std::vector<std::uint32_t> nodes = condensed_nodes(cube, {});
  EXPECT_EQ(nodes.size(), 384u);
  EXPECT_EQ(free_dofs_of(cube, nodes).size(), 1152u);
  EXPECT_EQ(cube.fixed_vertices().size(), 64u);
  EXPECT_EQ(cube.free_vertices().size() - nodes.size(), 64u);
  EXPECT_TRUE(std::ranges::is_sorted(nodes));
}

TEST(CondensedNodes, an_element_with_a_vertex_of_the_surface_keeps_its_nodes) {
  const StvkModel cube = held_block(7, 7, 7);
  // The element in the middle: its 8 nodes belong to inner elements alone.
  const std::vector<std::uint32_t> elements = {171, 171};
  EXPECT_EQ(condensed_nodes(cube, elements).size(), 384u + 8u);
}

TEST(CondensedNodes, tetrahedra_of_the_same_block_have_their_own_boundary) {
  const StvkModel block = held_tetrahedral_block(5, 5, 5);
  const std::vector<std::uint32_t> nodes = condensed_nodes(block, {});
  // Six tetrahedra a cube share its diagonal: a tetrahedron with a face on the boundary has the
  // end of the diagonal on the next layer of nodes. 6^3 less 6^2 fixed and 2^3 inner ones.
  EXPECT_EQ(nodes.size(), 216u - 36u - 8u);
}

TEST(CondensedNodes, degrees_of_freedom_count_the_free_vertices) {
  const StvkModel block = held_block(1, 1, 2);
  const std::vector<std::uint32_t> nodes = condensed_nodes(block, {});
  ASSERT_EQ(nodes.size(), 8u);
  EXPECT_EQ(nodes.front(), 4u);
  const std::vector<int> dofs = free_dofs_of(block, nodes);
  for (int i = 0; i < 24; ++i) EXPECT_EQ(dofs[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace haptic
