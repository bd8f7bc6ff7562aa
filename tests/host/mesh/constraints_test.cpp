#include "host/mesh/constraints.h"

#include <gmock/gmock.h>

#include <cmath>

#include "host/mesh/catalogue.h"
#include "tests/host/mesh/mesh_test_support.h"

namespace haptic {
namespace {

using testing::HasSubstr;
using Side = PlaneConstraint::Side;

class FixedVertices : public testing::Test {
 protected:
  const TriangleMesh beam_ = translated(make_shape("beam", {}), {1.0, 0.0, 0.0});
  const VoxelMesh mesh_ = voxelize(beam_, {.resolution = 20});
  const Vector3 lower_ = bounding_box(beam_).lower;

  std::vector<std::uint32_t> fixed(const Constraints& constraints) const {
    return fixed_vertices(mesh_, lower_, constraints, "recipe.toml");
  }
  std::string error(const Constraints& constraints) const {
    return input_error([&] { (void)fixed(constraints); });
  }
};

TEST_F(FixedVertices, planes_count_from_the_lower_bound) {
  // One layer of vertices lies just below the lower bound, the next one voxel (0.01 m) above.
  EXPECT_EQ(fixed({.planes = {{0, Side::kBelow, 0.0}}, .boxes = {}, .vertices = {}}).size(), 12U);
  EXPECT_EQ(fixed({.planes = {{0, Side::kBelow, 0.015}}, .boxes = {}, .vertices = {}}).size(), 24U);
  EXPECT_EQ(fixed({.planes = {{0, Side::kAbove, 0.195}}, .boxes = {}, .vertices = {}}).size(), 12U);
}

TEST_F(FixedVertices, entries_are_united_ascending_without_duplicates) {
  const Constraints both = {.planes = {{0, Side::kBelow, 0.0}, {0, Side::kAbove, 0.195}},
                            .boxes = {{{-1, -1, -1}, {0.005, 1, 1}}},
                            .vertices = {5, 5, 3}};
  const auto result = fixed(both);
  EXPECT_TRUE(std::is_sorted(result.begin(), result.end()));
  EXPECT_EQ(std::adjacent_find(result.begin(), result.end()), result.end());
  EXPECT_THAT(result, testing::Contains(3U));
  EXPECT_THAT(result, testing::Contains(5U));
}

TEST_F(FixedVertices, box_counts_from_the_lower_bound) {
  const auto result =
      fixed({.planes = {}, .boxes = {{{0.045, -1, -1}, {0.055, 1, 1}}}, .vertices = {}});
  ASSERT_EQ(result.size(), 12U);
  for (const std::uint32_t v : result) EXPECT_NEAR(mesh_.vertices[v].x(), 1.05, 1e-3);
}

TEST_F(FixedVertices, balls_and_cylinders_count_from_the_lower_bound) {
  Constraints ball, rod;
  ball.spheres = {{Vector3(0.1, 0.01, 0.015), 0.02}};
  rod.cylinders = {{Vector3(0.05, 0.01, 0.015), Vector3(0.15, 0.01, 0.015), 0.012}};
  const auto in_ball = fixed(ball), in_rod = fixed(rod);
  std::size_t near = 0, along = 0;
  for (const Vector3& v : mesh_.vertices) {
    const Vector3 x = v - lower_;
    near += (x - Vector3(0.1, 0.01, 0.015)).norm() <= 0.02 ? 1 : 0;
    along += x.x() >= 0.05 && x.x() <= 0.15 && std::hypot(x.y() - 0.01, x.z() - 0.015) <= 0.012;
  }
  EXPECT_GT(near, 0U);
  EXPECT_GT(along, 0U);
  EXPECT_EQ(in_ball.size(), near);
  EXPECT_EQ(in_rod.size(), along);
}

TEST(Regions, have_their_border) {
  const CylinderConstraint rod{Vector3::Zero(), Vector3(0, 0, 2), 1.0};
  EXPECT_NEAR(depth_in(rod, Vector3(0.2, 0, 1)), 0.8, 1e-15);
  EXPECT_NEAR(depth_in(rod, Vector3(0.2, 0, 1.9)), 0.1, 1e-15);
  EXPECT_NEAR(depth_in(rod, Vector3(0, 0, -0.3)), -0.3, 1e-15);
  EXPECT_NEAR(depth_in(rod, Vector3(0.9, 1.2, 1)), -0.5, 1e-15);
  const SphereConstraint ball{Vector3(1, 1, 1), 2.0};
  EXPECT_NEAR(depth_in(ball, Vector3(3, 1, 1)), 0.0, 1e-15);
  EXPECT_NEAR(depth_in(ball, Vector3(1, 1, 4)), -1.0, 1e-15);
  const BoxConstraint box{Vector3(0, 0, 0), Vector3(1, 2, 3)};
  EXPECT_NEAR(depth_in(box, Vector3(0.5, 1.8, 1)), 0.2, 1e-15);
  EXPECT_NEAR(depth_in(box, Vector3(0.5, 1, 3.5)), -0.5, 1e-15);
  const PlaneConstraint above{2, PlaneConstraint::Side::kAbove, 0.25};
  EXPECT_NEAR(depth_in(above, Vector3(7, 8, 1)), 0.75, 1e-15);
  EXPECT_NEAR(depth_in(above, Vector3(7, 8, 0)), -0.25, 1e-15);

  Constraints all;
  EXPECT_EQ(depth_in(all, Vector3::Zero()), -std::numeric_limits<double>::infinity());
  all.spheres = {ball};
  all.patches = {{Vector3(10, 1, 1), 1.0}};
  all.planes = {above};
  EXPECT_NEAR(depth_in(all, Vector3(1, 1, 2)), 1.75, 1e-15);
  EXPECT_NEAR(depth_in(all, Vector3(9.5, 1, -1)), -1.0615528128088303, 1e-15);
}

TEST_F(FixedVertices, empty_constraints_fix_no_vertex) {
  EXPECT_TRUE(fixed({}).empty());
}

TEST_F(FixedVertices, bad_predicates_are_refused) {
  EXPECT_THAT(error({.planes = {{0, Side::kAbove, -1.0}}, .boxes = {}, .vertices = {}}),
              HasSubstr("recipe.toml: constraints: all 252 mesh vertices selected"));
  EXPECT_THAT(error({.planes = {{2, Side::kAbove, 5.0}}, .boxes = {}, .vertices = {}}),
              HasSubstr("no mesh vertex selected"));
  EXPECT_THAT(error({.planes = {}, .boxes = {}, .vertices = {252}}), HasSubstr("ids below 252"));
  EXPECT_THAT(error({.planes = {{3, Side::kBelow, 0.0}}, .boxes = {}, .vertices = {}}),
              HasSubstr("planes[0]"));
  EXPECT_THAT(error({.planes = {{0, Side::kBelow, std::nan("")}}, .boxes = {}, .vertices = {}}),
              HasSubstr("planes[0]"));
  EXPECT_THAT(error({.planes = {}, .boxes = {{{1, 0, 0}, {0, 1, 1}}}, .vertices = {}}),
              HasSubstr("min above max"));
}

}  // namespace
}  // namespace haptic
