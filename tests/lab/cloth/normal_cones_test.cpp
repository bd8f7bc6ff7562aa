#include "lab/cloth/normal_cones.h"

#include <gtest/gtest.h>

#include <numbers>

#include "lab/samples/moving_cloths.h"

namespace haptic::lab {
namespace {

constexpr double kPi = std::numbers::pi;

Vector3 at_angle(double angle) {
  return {std::cos(angle), std::sin(angle), 0.0};
}

TEST(NormalCones, merged_cones_are_the_smallest_around_both) {
  // Directions in a plane: cones are intervals of angles.
  const NormalCone both = merged(NormalCone{at_angle(0.1), 0.2}, NormalCone{at_angle(0.8), 0.1});
  EXPECT_NEAR(both.half_angle, 0.5, 1e-14);  // from -0.1 to 0.9
  EXPECT_NEAR((both.axis - at_angle(0.4)).norm(), 0.0, 1e-14);
  const NormalCone large{at_angle(0.0), 0.5}, small{at_angle(0.3), 0.1};
  EXPECT_EQ(merged(large, small).half_angle, 0.5);
  EXPECT_EQ(merged(small, large).half_angle, 0.5);
  EXPECT_EQ(merged(small, large).axis, large.axis);
  EXPECT_EQ(merged(small, small).half_angle, 0.1);
  // From a half-space on: all directions.
  EXPECT_NEAR(merged(NormalCone{at_angle(0), 0.0}, NormalCone{at_angle(3.1), 0.0}).half_angle, 1.55,
              1e-14);
  EXPECT_EQ(merged(NormalCone{at_angle(0), 0.1}, NormalCone{at_angle(3.1), 0.0}).half_angle, kPi);
  EXPECT_EQ(merged(NormalCone{at_angle(0), kPi}, small).half_angle, kPi);
  EXPECT_EQ(merged(small, NormalCone{at_angle(0), kPi}).half_angle, kPi);
  EXPECT_EQ(merged(NormalCone{at_angle(0), 0.0}, NormalCone{-at_angle(0), 0.0}).half_angle, kPi);
}

TEST(NormalCones, a_triangle_has_its_normal_and_none_without_area) {
  const NormalCone cone = normal_cone({0, 0, 0}, {2, 0, 0}, {0, 3, 0});
  EXPECT_EQ(cone.axis, Vector3(0, 0, 1));
  EXPECT_EQ(cone.half_angle, 0.0);
  EXPECT_EQ(normal_cone({0, 0, 0}, {1, 1, 1}, {2, 2, 2}).half_angle, kPi);
  EXPECT_EQ(normal_cone({1, 1, 1}, {1, 1, 1}, {1, 1, 1}).half_angle, kPi);
  EXPECT_EQ(normal_cone({0, 0, 0}, {1, 0, 0}, {2, 1e-13, 0}).half_angle, kPi);
  EXPECT_EQ(normal_cone({0, 0, 0}, {1e100, 0, 0}, {0, 1e100, 0}).half_angle, kPi);  // overflows
  EXPECT_EQ(normal_cone({0, 0, 0}, {1e-6, 0, 0}, {0, 1e-6, 0}).half_angle, 0.0);
}

TEST(NormalCones, the_cone_of_a_node_has_every_normal_below_it) {
  const ClothMesh mesh = make_grid({20, 20}, 1.0, 1.0);
  for (const std::uint32_t branching : {2u, 4u, 8u}) {
    const cloth::HierarchyTopology nodes(mesh.triangles, cloth::positions(mesh), branching);
    NormalCones cones(nodes);
    std::size_t narrow = 0;
    for (int trial = 0; trial < 10; ++trial) {
      const cloth::ParticleVectors x =
          cloth::waving(mesh, 0.02 * trial, 0.3 * trial, trial % 2 == 0 ? 2.0 : 0.0);
      cones.update(x);
      for (const std::uint32_t leaf : nodes.leaves()) {
        const auto& [a, b, c] = mesh.triangles[nodes.triangle(leaf)];
        const Vector3 normal = (cloth::at(x, b) - cloth::at(x, a))
                                   .cross(cloth::at(x, c) - cloth::at(x, a))
                                   .normalized();
        for (std::uint32_t n = leaf; n != cloth::HierarchyTopology::kNone; n = nodes.parent(n)) {
          const NormalCone& cone = cones.cone(n);
          const double angle = std::atan2(cone.axis.cross(normal).norm(), cone.axis.dot(normal));
          EXPECT_LE(angle, cone.half_angle + 1e-12);  // rounding of up to 9 merges
          narrow += n < 3 && cone.half_angle < 1.5 ? 1 : 0;
        }
      }
    }
    EXPECT_GT(narrow, 700u);
  }
}

}  // namespace
}  // namespace haptic::lab
