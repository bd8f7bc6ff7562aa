#include "host/mesh/polygon_triangles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

namespace haptic {
namespace {

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

Triangles cut(const std::vector<Vector3>& corners) {
  Triangles triangles;
  triangulate_polygon(corners, triangles);
  return triangles;
}

Vector3 area_vector(const std::vector<Vector3>& p, const std::array<std::uint32_t, 3>& t) {
  return 0.5 * (p[t[1]] - p[t[0]]).cross(p[t[2]] - p[t[0]]);
}

/// Its triangles have the polygon's area and direction, each positive, and each side is a side of
/// one triangle.
void expect_tiles(const std::vector<Vector3>& corners, double area, const Vector3& normal) {
  const Triangles triangles = cut(corners);
  ASSERT_EQ(triangles.size(), corners.size() - 2);
  double sum = 0.0;
  std::multiset<std::array<std::uint32_t, 2>> sides;
  for (const auto& t : triangles) {
    const double part = area_vector(corners, t).dot(normal);
    EXPECT_GT(part, 0.0);
    sum += part;
    for (int c = 0; c < 3; ++c) sides.insert({t[c], t[(c + 1) % 3]});
  }
  EXPECT_NEAR(sum, area, 1e-12 * area);
  const auto n = static_cast<std::uint32_t>(corners.size());
  for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(sides.count({i, (i + 1) % n}), 1u);
}

/// Seen in three directions and from behind.
void expect_tiles_turned(const std::vector<Eigen::Vector2d>& flat, double area) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {1.0, -1.0}) {
      std::vector<Vector3> corners;
      for (const auto& p : flat) {
        Vector3 v = Vector3::Constant(5.0);
        v[(axis + 1) % 3] += side * p.x();
        v[(axis + 2) % 3] += p.y();
        corners.push_back(v);
      }
      expect_tiles(corners, area, side * Vector3::Unit(axis));
    }
  }
}

TEST(PolygonTriangles, a_convex_polygon_is_a_fan) {
  EXPECT_EQ(cut({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}), (Triangles{{0, 1, 2}}));
  EXPECT_EQ(cut({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}), (Triangles{{0, 1, 2}, {0, 2, 3}}));
  EXPECT_EQ(cut({{0, 0, 1}, {0, 1, 1}, {1, 1, 1}, {1, 0, 1}}), (Triangles{{0, 1, 2}, {0, 2, 3}}));
  std::vector<Vector3> circle;
  for (int i = 0; i < 7; ++i) circle.emplace_back(0.0, std::cos(0.9 * i), std::sin(0.9 * i));
  EXPECT_EQ(cut(circle), (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}, {0, 5, 6}}));
}

TEST(PolygonTriangles, concave_quads_from_every_corner) {
  const std::vector<Eigen::Vector2d> dart = {{0, 0}, {2, 1}, {0, 2}, {1, 1}};
  for (std::size_t first = 0; first < 4; ++first) {
    std::vector<Eigen::Vector2d> turned;
    for (std::size_t i = 0; i < 4; ++i) turned.push_back(dart[(first + i) % 4]);
    expect_tiles_turned(turned, 1.0);
  }
}

TEST(PolygonTriangles, letters_combs_and_spirals) {
  expect_tiles_turned({{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {3, 2}, {3, 3}, {0, 3}}, 7.0);  // C
  std::vector<Eigen::Vector2d> comb = {{0, 0}, {41, 0}};
  for (int i = 20; i > 0; --i) {
    comb.emplace_back(2.0 * i + 0.5, 9.0);
    comb.emplace_back(2.0 * i - 0.5, 1.0);
  }
  double area = 0.0;
  for (std::size_t i = 0; i < comb.size(); ++i) {
    const auto &a = comb[i], &b = comb[(i + 1) % comb.size()];
    area += 0.5 * (a.x() * b.y() - a.y() * b.x());
  }
  expect_tiles_turned(comb, area);
  // A band of width 0.5 that winds three times; area by the shoelace formula.
  std::vector<Eigen::Vector2d> spiral;
  constexpr int kSteps = 60;
  for (int i = 0; i <= kSteps; ++i) {
    const double angle = 6.0 * std::numbers::pi * i / kSteps, r = 1.0 + angle / 6.0;
    spiral.emplace_back(r * std::cos(angle), r * std::sin(angle));
  }
  for (int i = kSteps; i >= 0; --i) {
    const double angle = 6.0 * std::numbers::pi * i / kSteps, r = 0.5 + angle / 6.0;
    spiral.emplace_back(r * std::cos(angle), r * std::sin(angle));
  }
  area = 0.0;
  for (std::size_t i = 0; i < spiral.size(); ++i) {
    const auto &a = spiral[i], &b = spiral[(i + 1) % spiral.size()];
    area += 0.5 * (a.x() * b.y() - a.y() * b.x());
  }
  if (area < 0.0) std::reverse(spiral.begin(), spiral.end());
  expect_tiles_turned(spiral, std::abs(area));
}

TEST(PolygonTriangles, corners_on_a_side_stay) {
  // Squares with two more corners on each side: no triangle is left over, the area is right.
  std::vector<Vector3> corners;
  for (const auto& [x, y] : std::vector<std::array<double, 2>>{{0, 0},
                                                               {1, 0},
                                                               {2, 0},
                                                               {3, 0},
                                                               {3, 1},
                                                               {3, 2},
                                                               {3, 3},
                                                               {2, 3},
                                                               {1, 3},
                                                               {0, 3},
                                                               {0, 2},
                                                               {0, 1}}) {
    corners.emplace_back(x, y, 0.0);
  }
  const Triangles triangles = cut(corners);
  EXPECT_EQ(triangles.size(), 10u);
  double sum = 0.0;
  for (const auto& t : triangles) {
    const double part = area_vector(corners, t).z();
    EXPECT_GE(part, 0.0);
    sum += part;
  }
  EXPECT_NEAR(sum, 9.0, 1e-14);
}

TEST(PolygonTriangles, degenerate_polygons_keep_their_count) {
  EXPECT_EQ(cut(std::vector<Vector3>(6, Vector3(1, 2, 3))).size(), 4u);
  EXPECT_EQ(cut({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}).size(), 2u);
  EXPECT_EQ(cut({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}}).size(), 2u);  // a bow tie
  // A star that intersects itself.
  std::vector<Vector3> star;
  for (int i = 0; i < 101; ++i) {
    const double angle = 2.0 * std::numbers::pi * 50.0 / 101.0 * i;
    star.emplace_back(std::cos(angle), std::sin(angle), 0.0);
  }
  EXPECT_EQ(cut(star).size(), 99u);
}

}  // namespace
}  // namespace haptic
