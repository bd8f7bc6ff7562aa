#include "rt/worlds/condensed/condensed_surface.h"

#include <algorithm>
#include <random>

#include "rt/worlds/condensed/near_surface.h"
#include "tests/rt/worlds/condensed/condensed_world_fixture.h"

namespace haptic::condensed {
namespace {

class CondensedSurfaceTest : public PressedBlock {
 protected:
  CondensedSurfaceTest()
      : file_(folder_ / "block.h5"),
        model_(read_condensed_model(file_)),
        surface_(model_, "block.h5"),
        u_(model_.dof(), 0.0) {}

  /// Displaces every node by up to `size` [m].
  void shake(double size) {
    std::uniform_real_distribution<double> uniform(-size, size);
    for (double& value : u_) value = uniform(engine_);
  }
  /// The point of the moved surface nearest to p, by trying all triangles.
  double nearest_distance(const Vector3& p) const {
    double nearest = 1e9;
    for (std::uint32_t t = 0; t < surface_.triangle_count(); ++t) {
      const auto v = surface_.corners(t);
      const Vector3 a = surface_.position(v[0], u_), b = surface_.position(v[1], u_),
                    c = surface_.position(v[2], u_);
      const Vector3 w = nearest_weights(p, a, b, c);
      nearest = std::min(nearest, (w[0] * a + w[1] * b + w[2] * c - p).norm());
    }
    return nearest;
  }

  ModelFile file_;
  CondensedModel model_;
  CondensedSurface surface_;
  std::vector<double> u_;
  std::mt19937_64 engine_{3};
};

// The embedding reproduces a linear field: trilinear shape functions do, and the fixed layer is
// where the field is zero. Rounding of eight products.
TEST_F(CondensedSurfaceTest, a_vertex_moves_with_the_linear_field_of_its_nodes) {
  const std::span<const double> mesh = file_.doubles("/mesh/vertices");
  const std::span<const std::uint32_t> nodes = file_.indices("/condensed/nodes");
  Matrix3 gradient;
  gradient << 0.0, 0.3, 0.0, 0.0, -0.2, 0.0, 0.0, 0.5, 0.0;
  // The fixed layer: the lowest vertices of the mesh.
  Vector3 base = Vector3::Zero();
  for (std::size_t i = 1; i < mesh.size(); i += 3) base.y() = std::min(base.y(), mesh[i]);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const double* const x = &mesh[3 * std::size_t{nodes[i]}];
    const Vector3 moved = gradient * (Vector3(x[0], x[1], x[2]) - base);
    std::copy_n(moved.data(), 3, &u_[3 * i]);
  }
  for (std::uint32_t v = 0; v < surface_.vertex_count(); ++v) {
    EXPECT_LT((surface_.displacement(v, u_) - gradient * (surface_.rest(v) - base)).norm(), 1e-15);
  }
}

TEST_F(CondensedSurfaceTest, triangles_across_an_edge_share_its_corners) {
  for (std::uint32_t t = 0; t < surface_.triangle_count(); ++t) {
    const auto v = surface_.corners(t);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t other = surface_.across(t, k);
      ASSERT_NE(other, CondensedSurface::kNone);  // a box is closed
      const auto w = surface_.corners(other);
      EXPECT_EQ(std::ranges::count(w, v[(k + 1) % 3]) + std::ranges::count(w, v[(k + 2) % 3]), 2);
      EXPECT_EQ(std::ranges::count(w, v[k]), 0);
    }
  }
}

// A point within a few triangles is found by the walk: the result is as near as any triangle is.
TEST_F(CondensedSurfaceTest, a_walk_finds_the_nearest_point_of_a_smooth_part) {
  std::uniform_real_distribution<double> uniform(-0.04, 0.04);
  std::uint32_t start = 0;
  while (surface_.area_normal(start, u_).normalized().y() < 0.99) ++start;
  shake(1e-4);
  for (int trial = 0; trial < 200; ++trial) {
    const Vector3 p(uniform(engine_), 0.0505, uniform(engine_));
    const SurfacePoint found = walked(surface_, {start, Vector3::UnitX()}, p, u_);
    EXPECT_NEAR((position(surface_, found, u_) - p).norm(), nearest_distance(p), 1e-4);
    EXPECT_NEAR(found.weights.sum(), 1.0, 1e-12);
    EXPECT_GE(found.weights.minCoeff(), 0.0);
  }
}

TEST_F(CondensedSurfaceTest, nothing_within_the_ball_is_missing_from_the_near_list) {
  NearSurface near(surface_);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Vector3 centre(0.0, 0.05, 0.0);
  std::size_t listed = 0, within = 0;
  for (int step = 0; step < 300; ++step) {
    centre += 1e-3 * Vector3(uniform(engine_), uniform(engine_), uniform(engine_));
    for (double& value : u_) value += 1e-4 * uniform(engine_);
    const double radius = 0.008 + 0.004 * uniform(engine_);
    near.update(centre, radius, u_);
    listed += near.triangles().size();
    for (std::uint32_t t = 0; t < surface_.triangle_count(); ++t) {
      const auto v = surface_.corners(t);
      const Vector3 a = surface_.position(v[0], u_), b = surface_.position(v[1], u_),
                    c = surface_.position(v[2], u_);
      const Vector3 w = nearest_weights(centre, a, b, c);
      if ((w[0] * a + w[1] * b + w[2] * c - centre).norm() > radius) continue;
      ++within;
      EXPECT_TRUE(std::ranges::binary_search(near.triangles(), t));
      for (const std::uint32_t corner : v) {
        EXPECT_TRUE(std::ranges::binary_search(near.vertices(), corner));
      }
    }
    for (std::uint32_t v = 0; v < surface_.vertex_count(); ++v) {
      if ((surface_.position(v, u_) - centre).norm() > radius) continue;
      EXPECT_TRUE(std::ranges::binary_search(near.vertices(), v));
    }
  }
  EXPECT_GT(within, 300U);
  // The list is a part of the surface, not all of it.
  EXPECT_LT(listed, 300 * surface_.triangle_count() / 2);
}

}  // namespace
}  // namespace haptic::condensed
