#include "lab/cloth/region_contours.h"

#include <gtest/gtest.h>

#include "lab/samples/moving_cloths.h"

namespace haptic::lab {
namespace {

/// Contour of the root over these triangles, on particles in arbitrary places.
std::vector<std::uint32_t> root_contour(const std::vector<cloth::TriangleCorners>& triangles) {
  cloth::ParticleVectors x;
  for (int i = 0; i < 20; ++i) x.insert(x.end(), {1.0 * i, 0.5 * i * i, 0.1 * i * i * i});
  const cloth::HierarchyTopology nodes(triangles, x, 2);
  const RegionContours contours(nodes);
  const auto line = contours.contour(0);
  return {line.begin(), line.end()};
}

TEST(RegionContours, a_disk_has_its_border_in_the_direction_of_its_triangles) {
  const std::vector<cloth::TriangleCorners> square = {{0, 1, 3}, {0, 3, 2}};
  EXPECT_EQ(root_contour(square), (std::vector<std::uint32_t>{0, 1, 3, 2}));
  const ClothMesh mesh = make_grid({20, 20}, 1.0, 1.0);
  const cloth::HierarchyTopology nodes(mesh.triangles, cloth::positions(mesh), 4);
  const RegionContours contours(nodes);
  EXPECT_EQ(contours.contour(0).size(), 76u);
  EXPECT_EQ(contours.longest(), 76u);
  std::size_t disks = 0, internal = 0;
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    internal += nodes.is_leaf(n) ? 0 : 1;
    disks += contours.contour(n).empty() ? 0 : 1;
    EXPECT_TRUE(!nodes.is_leaf(n) || contours.contour(n).empty());
  }
  EXPECT_GT(disks, internal * 3 / 4);
}

TEST(RegionContours, parts_that_are_no_disks_have_none) {
  // Two triangles that meet at a vertex, or nowhere.
  EXPECT_TRUE(root_contour({{0, 1, 2}, {2, 3, 4}}).empty());
  EXPECT_TRUE(root_contour({{0, 1, 2}, {3, 4, 5}}).empty());
  // Three at one edge, and two that face different sides.
  EXPECT_TRUE(root_contour({{0, 1, 2}, {1, 0, 3}, {0, 1, 4}}).empty());
  EXPECT_TRUE(root_contour({{0, 1, 2}, {0, 1, 3}}).empty());
  // A ring of three quads, with two borders.
  const std::vector<cloth::TriangleCorners> ring = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5},
                                                    {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
  EXPECT_TRUE(root_contour(ring).empty());
  // Closed, without a border; open again without one face.
  EXPECT_TRUE(root_contour({{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}).empty());
  EXPECT_EQ(root_contour({{0, 1, 2}, {0, 3, 1}, {1, 3, 2}}), (std::vector<std::uint32_t>{0, 3, 2}));
  // An open fan whose ends touch at a vertex of the border: it passes that vertex twice.
  EXPECT_TRUE(root_contour({{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {4, 3, 5}, {4, 5, 1}}).empty());
}

TEST(RegionContours, a_handle_or_a_second_part_makes_no_disk_though_the_border_is_one_line) {
  // A closed torus of 9 vertices: without one triangle it has one border, of three edges.
  std::vector<cloth::TriangleCorners> torus;
  const auto vertex = [](std::uint32_t i, std::uint32_t j) { return i % 3 + 3 * (j % 3); };
  for (std::uint32_t i = 0; i < 3; ++i) {
    for (std::uint32_t j = 0; j < 3; ++j) {
      torus.push_back({vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)});
      torus.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)});
    }
  }
  EXPECT_TRUE(root_contour({torus.begin() + 1, torus.end()}).empty());
  // Whole beside a triangle: Euler number 0 + 1, one border, two parts.
  torus.push_back({10, 11, 12});
  EXPECT_TRUE(root_contour(torus).empty());
}

TEST(RegionContours, a_line_is_simple_unless_it_crosses_touches_or_turns_back) {
  const auto simple = [](const std::vector<std::array<double, 2>>& line, double tilt = 0.0) {
    cloth::ParticleVectors x;
    std::vector<std::uint32_t> order;
    for (const auto& [u, v] : line) {
      // Moved along the direction in which it is seen, which must not matter.
      const double depth = 0.3 * static_cast<double>(order.size() % 3);
      order.push_back(static_cast<std::uint32_t>(order.size()));
      x.insert(x.end(), {u - depth * std::sin(tilt), v, depth * std::cos(tilt)});
    }
    std::vector<double> seen(2 * order.size());
    const Vector3 direction(-std::sin(tilt), 0.0, std::cos(tilt));
    const bool result = is_simple_along(direction, order, x, seen);
    std::reverse(order.begin(), order.end());
    EXPECT_EQ(is_simple_along(direction, order, x, seen), result);
    EXPECT_EQ(is_simple_along(-direction, order, x, seen), result);
    return result;
  };
  EXPECT_TRUE(simple({{0, 0}, {1, 0}, {1, 1}, {0, 1}}));
  EXPECT_TRUE(simple({{0, 0}, {1, 0}, {1, 1}, {0, 1}}, 0.7));
  EXPECT_TRUE(simple({{0, 0}, {1, 0}, {0, 1}}));
  EXPECT_FALSE(simple({{0, 0}, {1, 0}}));
  EXPECT_FALSE(simple({{0, 0}, {1, 1}, {1, 0}, {0, 1}}));  // a bow tie
  EXPECT_FALSE(simple({{0, 0}, {1, 1}, {1, 0}, {0, 1}}, 0.7));
  // A notch that ends above, on and below the opposite side, and 1e-10 above it.
  for (const double depth : {0.1, 1e-6, 1e-10, 0.0, -0.1}) {
    EXPECT_EQ(simple({{0, 0}, {2, 0}, {2, 1}, {1.2, 1}, {1, depth}, {0.8, 1}, {0, 1}}),
              depth >= 1e-6);
  }
  EXPECT_FALSE(simple({{0, 0}, {1, 0}, {2, 0}, {1.5, 0}, {1, 1}}));  // back along itself
  EXPECT_TRUE(simple({{0, 0}, {1, 0}, {2, 0}, {1.5, 1e-3}, {1, 1}}));
  EXPECT_FALSE(simple({{0, 0}, {1, 0}, {1, 0}, {0, 1}}));  // an edge without length
  EXPECT_FALSE(simple({{0, 0}, {0, 0}, {0, 0}, {0, 0}}));
  // A slanted neck of short edges, 1e-7 wide: the margin is a distance, whatever an edge's length.
  const double edge = 1e-4, half = 0.7e-7;
  EXPECT_TRUE(simple({{1, 1},
                      {1 + edge, 1 + edge},
                      {3, 2},
                      {3, 3},
                      {2, 3},
                      {1 + edge - half, 1 + edge + half},
                      {1 - half, 1 + half},
                      {0, 0.5},
                      {0, 0},
                      {0.5, 0}}));
  // Collinear edges apart, along a diagonal.
  EXPECT_TRUE(simple({{0, 0}, {1, 1}, {1.1, 1}, {1.9, 1.8}, {2, 2}, {3, 3}, {0, 4}}));
}

}  // namespace
}  // namespace haptic::lab
