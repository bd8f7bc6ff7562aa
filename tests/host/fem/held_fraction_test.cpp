#include "host/fem/held_fraction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace haptic {
namespace {

using Point = Eigen::Vector3d;

/// The material of a cell below a height.
CellPart lower_slab(double height) {
  const double centre = 0.5 * (height - 1.0);
  CellPart part = kWholeCell;
  for (double& m : part) m *= height;
  part[3] = height * centre;
  part[6] = height * (height * height / 12.0 + centre * centre);
  return part;
}

TEST(HeldFraction, is_exact_for_a_plane_across_an_edge) {
  for (const CellPart& part : {kWholeCell, lower_slab(0.3)}) {
    for (int axis = 0; axis < 2; ++axis) {
      for (const double sign : {-1.0, 1.0}) {
        for (double plane = -0.7; plane <= 0.7; plane += 0.05) {
          const double fraction =
              held_fraction(part, [&](const Point& at) { return plane - sign * at[axis]; });
          EXPECT_NEAR(fraction, std::clamp(0.5 + plane, 0.0, kMaxHeldFraction), 1e-9) << plane;
        }
      }
    }
  }
}

TEST(HeldFraction, is_that_of_the_material_not_of_the_cell) {
  const auto below = [](double plane) {
    return [plane](const Point& at) { return plane - at.z(); };
  };
  EXPECT_NEAR(held_fraction(lower_slab(0.2), below(-0.4)), 0.5, 1e-12);
  EXPECT_EQ(held_fraction(lower_slab(0.2), below(-0.2)), kMaxHeldFraction);
  EXPECT_EQ(held_fraction(lower_slab(0.2), below(-0.6)), 0.0);
}

// A region that ends at a plane of the grid holds no part of the next cell, whatever rounding says.
TEST(HeldFraction, ends_at_a_plane_of_the_grid) {
  for (const double edge : {1e-3, 0.37, 41.0}) {
    const double centre = 17.5 * edge, plane = 17.0 * edge;
    const double fraction = held_fraction(
        kWholeCell, [&](const Point& at) { return (plane - (centre + edge * at.x())) / edge; });
    EXPECT_EQ(fraction, 0.0) << edge;
  }
}

// Against a sum over 50^3 points: tilted planes and balls. The eight depth intervals miss
// a region that only touches a corner or an edge of the cell, hence the tolerances.
TEST(HeldFraction, is_close_for_tilted_planes_and_balls) {
  static constexpr int kSide = 50;
  const auto summed = [](const auto& depth) {
    int inside = 0;
    for (int i = 0; i < kSide * kSide * kSide; ++i) {
      const Point at(i % kSide, i / kSide % kSide, i / kSide / kSide);
      inside += depth(Point((at.array() + 0.5) / kSide - 0.5)) >= 0.0 ? 1 : 0;
    }
    return std::min(inside / std::pow(kSide, 3), kMaxHeldFraction);
  };
  const Point normals[] = {{1, 1, 0}, {1, 1, 1}, {3, 1, 0}, {1, 2, 4}};
  for (const Point& normal : normals) {
    for (double plane = -0.8; plane <= 0.8; plane += 0.1) {
      const auto depth = [&](const Point& at) { return plane - at.dot(normal.normalized()); };
      EXPECT_NEAR(held_fraction(kWholeCell, depth), summed(depth), 0.06) << normal << "\n" << plane;
    }
  }
  for (const double radius : {0.8, 1.5, 4.0}) {
    for (double gap = -0.5; gap <= 0.5; gap += 0.1) {
      const auto depth = [&](const Point& at) {
        return radius - (at - Point(-radius - gap, 0.1, 0.2)).norm();
      };
      EXPECT_NEAR(held_fraction(kWholeCell, depth), summed(depth), 0.1) << radius << " " << gap;
    }
  }
}

}  // namespace
}  // namespace haptic
