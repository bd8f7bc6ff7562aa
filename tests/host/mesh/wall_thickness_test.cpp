#include "host/mesh/wall_thickness.h"

#include <gtest/gtest.h>

#include "host/mesh/catalogue.h"

namespace haptic {
namespace {

TEST(WallThickness, a_plate_and_a_sphere) {
  TriangleMesh plate = make_shape("box", {{"resolution", 3}});
  const BoundingBox box = bounding_box(plate);
  for (Vector3& v : plate.vertices) {
    v = (v - box.lower).cwiseQuotient(box.size()).cwiseProduct(Vector3(1.0, 0.8, 0.02));
  }
  const auto thin = thinnest_place(plate);
  ASSERT_TRUE(thin);
  EXPECT_NEAR(thin->thickness, 0.02, 1e-15);
  EXPECT_TRUE(bounding_box(plate).contains({thin->place, thin->place}));

  const TriangleMesh sphere = make_shape("sphere", {{"subdivisions", 4}});
  const double diameter = bounding_box(sphere).longest_side();
  const auto across = thinnest_place(sphere);
  ASSERT_TRUE(across);
  EXPECT_NEAR(across->thickness, diameter, 0.02 * diameter);  // facets
}

TEST(WallThickness, a_shell_of_two_surfaces) {
  const TriangleMesh outer = make_shape("sphere", {{"subdivisions", 4}});
  TriangleMesh inner = scaled(outer, 0.9);
  for (auto& t : inner.triangles) std::swap(t[1], t[2]);
  const auto thin = thinnest_place(merged(outer, inner));
  ASSERT_TRUE(thin);
  const double radius = 0.5 * bounding_box(outer).longest_side();
  EXPECT_NEAR(thin->thickness, 0.1 * radius, 0.005 * radius);
}

TEST(WallThickness, the_edge_of_a_wedge_is_no_wall) {
  // A right prism over a right triangle with legs 1: from the hypotenuse inward there is no
  // opposite side, from a leg neither; along the axis its length is 3.
  TriangleMesh wedge;
  wedge.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 3}, {1, 0, 3}, {0, 1, 3}};
  wedge.triangles = {{0, 2, 1}, {3, 4, 5}, {0, 1, 4}, {0, 4, 3},
                     {1, 2, 5}, {1, 5, 4}, {2, 0, 3}, {2, 3, 5}};
  ASSERT_NEAR(signed_volume(wedge), 1.5, 1e-15);
  const auto thin = thinnest_place(wedge, 500);
  ASSERT_TRUE(thin);
  EXPECT_NEAR(thin->thickness, 3.0, 1e-14);
  EXPECT_FALSE(thinnest_place({}));
}

}  // namespace
}  // namespace haptic
