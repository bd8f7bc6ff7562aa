#include "host/mesh/self_intersections.h"

#include <gtest/gtest.h>

#include <random>

#include "host/mesh/catalogue.h"
#include "tests/host/mesh/mesh_test_support.h"

namespace haptic {
namespace {

TEST(SelfIntersections, surfaces_of_the_catalogue_have_none) {
  for (const char* const shape : {"torus", "box", "spoon"}) {
    EXPECT_TRUE(self_intersections(make_shape(shape, {})).empty()) << shape;
  }
  EXPECT_TRUE(self_intersections({}).empty());
}

TEST(SelfIntersections, two_triangles_and_the_place) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0.5, 0.5, -1}, {0.5, 0.5, 3}, {5, 5, 1}};
  mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
  const auto found = self_intersections(mesh);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].triangles, (std::array<std::uint32_t, 2>{0, 1}));
  EXPECT_LT((found[0].place - Vector3(0.5, 0.5, 0.0)).norm(), 1e-15);
}

TEST(SelfIntersections, touching_is_not_crossing) {
  const TriangleMesh box = make_shape("box", {{"resolution", 3}});
  const double width = bounding_box(box).size().x();
  EXPECT_TRUE(self_intersections(merged(box, translated(box, {width, 0, 0}))).empty());
  EXPECT_TRUE(self_intersections(merged(box, box)).empty());  // coplanar
  EXPECT_TRUE(self_intersections(merged(box, translated(box, {width * 1.001, 0, 0}))).empty());
  EXPECT_FALSE(
      self_intersections(merged(box, translated(box, {width * 0.999, 0.1 * width, 0.1 * width})))
          .empty());
}

TEST(SelfIntersections, aligned_boxes_whose_edges_meet_diagonals_cross) {
  // Moved along the diagonal by a whole number of cells: edges pass exactly through edges.
  const TriangleMesh box = make_shape("box", {{"resolution", 4}});
  const Vector3 cell = bounding_box(box).size() / 4.0;
  EXPECT_FALSE(
      self_intersections(merged(box, translated(box, 0.5 * cell + Vector3(cell.x(), cell.y(), 0))))
          .empty());
}

TEST(SelfIntersections, agree_with_all_pairs) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> at(0.0, 1.0);
  TriangleMesh mesh;
  for (std::uint32_t t = 0; t < 300; ++t) {
    const Vector3 p(at(random), at(random), at(random));
    for (int c = 0; c < 3; ++c) {
      mesh.vertices.push_back(p + 0.3 * Vector3(at(random), at(random), at(random)));
    }
    mesh.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  std::vector<std::array<std::uint32_t, 2>> expected, found;
  for (std::uint32_t s = 0; s < 300; ++s) {
    for (std::uint32_t t = s + 1; t < 300; ++t) {
      TriangleMesh two;
      two.vertices = mesh.vertices;
      two.triangles = {mesh.triangles[s], mesh.triangles[t]};
      if (!self_intersections(two).empty()) expected.push_back({s, t});
    }
  }
  for (const CrossingTriangles& pair : self_intersections(mesh)) found.push_back(pair.triangles);
  EXPECT_EQ(found, expected);
  EXPECT_GT(found.size(), 100u);
}

TEST(SelfIntersections, scale_and_place_do_not_matter) {
  const TriangleMesh torus = make_shape("torus", {});
  const double side = bounding_box(torus).longest_side();
  const TriangleMesh two = merged(torus, translated(torus, {0.3 * side, 0.01 * side, 0.1 * side}));
  const std::size_t count = self_intersections(two).size();
  EXPECT_GT(count, 10u);
  for (const double scale : {1e-6, 1e6}) {
    EXPECT_EQ(self_intersections(scaled(two, scale)).size(), count);
  }
  EXPECT_EQ(self_intersections(translated(two, Vector3::Constant(1e3 * side))).size(), count);
}

}  // namespace
}  // namespace haptic
