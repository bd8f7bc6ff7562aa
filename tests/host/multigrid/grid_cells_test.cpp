#include "host/multigrid/grid_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/host/fem/bodies.h"

namespace haptic {
namespace {

/// Two blocks of n x n x n cells of edge 1, `gap` cells apart along x, without a common vertex.
GridCells two_blocks(int n, int gap) {
  const SolidMesh box = make_box_mesh(n, n, n, 1.0, kRubber);
  std::vector<double> vertices(box.vertices().begin(), box.vertices().end());
  std::vector<std::uint32_t> elements(box.elements().begin(), box.elements().end());
  const auto count = static_cast<std::uint32_t>(box.vertex_count());
  for (std::size_t i = 0; i < box.vertices().size(); ++i) {
    vertices.push_back(box.vertices()[i] + (i % 3 == 0 ? n + gap : 0));
  }
  for (const std::uint32_t v : box.elements()) elements.push_back(v + count);
  return *grid_cells_of(SolidMesh(vertices, elements, kRubber));
}

/// Pieces of cells that share nodes.
std::size_t pieces(const GridCells& cells) {
  std::vector<std::set<std::uint32_t>> sets;
  for (const auto& corners : cells.corners) {
    std::set<std::uint32_t> own(corners.begin(), corners.end());
    for (auto set = sets.begin(); set != sets.end();) {
      const bool meets = std::ranges::any_of(*set, [&](auto n) { return own.contains(n); });
      if (meets) own.insert(set->begin(), set->end());
      set = meets ? sets.erase(set) : set + 1;
    }
    sets.push_back(std::move(own));
  }
  return sets.size();
}

TEST(GridCells, are_those_of_a_mesh_of_equal_boxes) {
  const auto cells = grid_cells_of(make_box_mesh(3, 2, 4, 0.1, kRubber));
  ASSERT_TRUE(cells.has_value());
  EXPECT_EQ(cells->nodes, 4U * 3U * 5U);
  ASSERT_EQ(cells->places.size(), 24U);
  EXPECT_EQ(cells->places.front(), (GridCells::Place{0, 0, 0}));
  EXPECT_EQ(cells->places.back(), (GridCells::Place{2, 1, 3}));
}

TEST(GridCells, are_none_for_other_elements) {
  EXPECT_FALSE(grid_cells_of(make_tetrahedral_box_mesh(2, 2, 2, 0.1, kRubber)).has_value());
  const SolidMesh box = make_box_mesh(3, 2, 2, 0.1, kRubber);
  EXPECT_FALSE(grid_cells_of(SolidMesh(skewed_vertices(box), box.elements(), kRubber)).has_value());
  // Equal boxes off a common grid.
  std::vector<double> vertices(box.vertices().begin(), box.vertices().begin());
  std::vector<std::uint32_t> elements;
  const SolidMesh one = make_box_mesh(1, 1, 1, 1.0, kRubber);
  for (std::uint32_t copy = 0; copy < 2; ++copy) {
    for (std::size_t i = 0; i < one.vertices().size(); ++i) {
      vertices.push_back(one.vertices()[i] + 2.4 * copy);
    }
    for (const std::uint32_t v : one.elements()) elements.push_back(v + 8 * copy);
  }
  EXPECT_FALSE(grid_cells_of(SolidMesh(vertices, elements, kRubber)).has_value());
}

TEST(CoarseCells, interpolate_linear_fields_exactly) {
  const SolidMesh mesh = make_box_mesh(5, 4, 3, 1.0, kRubber);  // also beyond an odd side
  const GridCells fine = *grid_cells_of(mesh);
  const CoarseCells coarse = coarsened(fine);
  EXPECT_EQ(coarse.cells.places.size(), 3U * 2U * 2U);
  EXPECT_EQ(coarse.cells.nodes, 4U * 3U * 3U);
  std::vector<Vector3> at(coarse.cells.nodes);
  for (std::size_t c = 0; c < coarse.cells.places.size(); ++c) {
    const auto& place = coarse.cells.places[c];
    for (std::size_t a = 0; a < 8; ++a) {
      const Vector3 offset = hexahedron_corner_offsets().col(static_cast<Eigen::Index>(a));
      at[coarse.cells.corners[c][a]] = 2.0 * (Vector3(place[0], place[1], place[2]) + offset);
    }
  }
  const GridInterpolation& P = coarse.interpolation;
  ASSERT_EQ(P.rows(), fine.nodes);
  for (std::uint32_t node = 0; node < fine.nodes; ++node) {
    Vector3 sum = Vector3::Zero();
    for (std::uint32_t a = P.begin[node]; a < P.begin[node + 1]; ++a) {
      sum += double{P.weight[a]} * at[P.node[a]];
    }
    EXPECT_EQ(sum, mesh.vertex(static_cast<int>(node)));  // the weights are binary fractions
  }
}

TEST(CoarseCells, parts_that_do_not_meet_stay_apart) {
  for (const int gap : {0, 1, 2, 3}) {  // 0: a slit
    GridCells cells = two_blocks(4, gap);
    for (int level = 0; level < 5; ++level) {
      EXPECT_EQ(pieces(cells), 2U) << "gap " << gap << ", level " << level;
      cells = coarsened(cells).cells;
    }
    EXPECT_EQ(cells.places.size(), 2U);
    EXPECT_EQ(cells.nodes, 16U);
  }
}

TEST(CoarseCells, of_a_connected_body_are_connected) {
  GridCells cells = *grid_cells_of(make_box_mesh(7, 5, 3, 1.0, kRubber));
  for (int level = 0; level < 4; ++level) {
    cells = coarsened(cells).cells;
    EXPECT_EQ(pieces(cells), 1U);
  }
  EXPECT_EQ(cells.nodes, 8U);
}

}  // namespace
}  // namespace haptic
