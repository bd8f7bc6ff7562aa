#include "rt/geometry/normal_variation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

#include "rt/geometry/analytic_field.h"
#include "rt/geometry/point_shell.h"

namespace haptic {
namespace {

AnalyticField field_of(ShapeKind kind, double size) {
  return AnalyticField({kind, {size, size, size}});
}

TEST(NormalVariation, of_a_sphere_is_the_angle_of_the_spacing) {
  for (const double radius : {0.01, 0.05}) {
    const AnalyticField field = field_of(ShapeKind::kSphere, radius);
    for (const double spacing : {1e-4, 1e-3, 4e-3}) {
      // Places are found to a twentieth of the spacing.
      const double angle = std::atan(spacing / radius);
      EXPECT_NEAR(normal_variation(field, spacing), angle, 0.06 * angle) << radius << spacing;
    }
  }
}

TEST(NormalVariation, of_a_plane_is_none) {
  EXPECT_EQ(normal_variation(field_of(ShapeKind::kPlane, 1.0), 1e-3), 0.0);
}

TEST(NormalVariation, of_a_cube_counts_its_edges) {
  const AnalyticField field = field_of(ShapeKind::kBox, 0.02);
  for (const double spacing : {3e-3, 4e-3, 6e-3}) {
    const double most = std::sqrt(3.0) * spacing / 0.02 * 0.5 * std::numbers::pi;
    EXPECT_LT(normal_variation(field, spacing), 1.1 * most) << spacing;
    EXPECT_GT(normal_variation(field, spacing), 0.4 * most) << spacing;
  }
}

TEST(NormalVariation, of_points_is_that_of_neighbours) {
  constexpr std::uint32_t kCount = 1200;  // not all of them are looked at
  constexpr double kRadius = 0.05, kAngle = 2.0 * std::numbers::pi / kCount;
  std::vector<float> points, normals;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    // Neighbours have no neighbouring indices.
    const double x = std::cos(7.0 * kAngle * i), y = std::sin(7.0 * kAngle * i);
    for (const double c : {x, y, 0.0}) points.push_back(static_cast<float>(kRadius * c));
    for (const double c : {x, y, 0.0}) normals.push_back(static_cast<float>(-c));
  }
  const ShellVariation ring = normal_variation(PointShell(0, points, normals, {}, {}));
  // The coordinates have 24 bits.
  EXPECT_NEAR(ring.spacing, 2.0 * kRadius * std::sin(0.5 * kAngle), 1e-8);
  EXPECT_NEAR(ring.angle, kAngle, 1e-6);

  const ShellVariation one = normal_variation(
      PointShell(0, std::span(points).first(3), std::span(normals).first(3), {}, {}));
  EXPECT_EQ(one.spacing, 0.0);
  EXPECT_EQ(one.angle, 0.0);
}

}  // namespace
}  // namespace haptic
