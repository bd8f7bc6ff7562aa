#include "host/field/surface_distance.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "host/formats/mesh_file.h"
#include "host/mesh/mesh_report.h"
#include "host/mesh/winding_number.h"
#include "lab/samples/field_shapes.h"
#include "shared/error.h"

namespace haptic {
namespace {

double box_distance(const Vector3& p, const Vector3& lower, const Vector3& upper) {
  const Vector3 q = (p - 0.5 * (lower + upper)).cwiseAbs() - 0.5 * (upper - lower);
  return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
}

TEST(SurfaceDistance, sign_and_distance_of_a_box_are_exact_everywhere) {
  const Vector3 lower(-0.3, 0.1, 0.0);
  const Vector3 upper(0.5, 0.4, 1.0);
  const SurfaceDistance surface(box_mesh(lower, upper));
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  for (int i = 0; i < 20000; ++i) {
    const Vector3 p = Vector3(uniform(random), uniform(random), 0.5 + uniform(random));
    // Some ten roundings of coordinates of order one.
    EXPECT_NEAR(surface.signed_distance(p), box_distance(p, lower, upper), 1e-14);
  }
}

TEST(SurfaceDistance, sign_at_edges_and_corners_of_a_box) {
  const Vector3 lower(0.0, 0.0, 0.0);
  const Vector3 upper(1.0, 2.0, 3.0);
  const SurfaceDistance surface(box_mesh(lower, upper));
  // Beyond every face, edge and corner (27 directions), near and far, where a face normal alone
  // would often give the wrong sign.
  for (const double reach : {1e-9, 1e-3, 0.4, 30.0}) {
    for (int i = -1; i <= 1; ++i) {
      for (int j = -1; j <= 1; ++j) {
        for (int k = -1; k <= 1; ++k) {
          if (i == 0 && j == 0 && k == 0) continue;
          const Vector3 direction(i, j, k);
          const Vector3 on_surface =
              (0.5 * (lower + upper).array() + 0.5 * (upper - lower).array() * direction.array());
          const Vector3 p = on_surface + reach * Vector3(i * 1.0, j * 0.3, k * 0.05);
          EXPECT_GT(surface.signed_distance(p), 0.0) << i << j << k << " at " << reach;
          if (reach > 0.4) continue;
          EXPECT_LT(
              surface.signed_distance(on_surface - reach * Vector3(i * 1.0, j * 0.9, k * 0.8)), 0.0)
              << i << j << k << " at " << reach;
        }
      }
    }
  }
}

TEST(SurfaceDistance, features_have_their_pseudonormals) {
  const SurfaceDistance surface(box_mesh(Vector3::Zero(), Vector3::Ones()));
  const NearestPoint corner = surface.nearest(Vector3(2, 2, 2));
  EXPECT_EQ(corner.feature, SurfaceFeature::kVertex);
  // Three right angles, whatever the triangulation: the diagonal.
  EXPECT_LT((corner.pseudonormal - Vector3::Ones().normalized()).norm(), 1e-14);
  const NearestPoint edge = surface.nearest(Vector3(2, 2, 0.4));
  EXPECT_EQ(edge.feature, SurfaceFeature::kEdge);
  EXPECT_LT((edge.pseudonormal - Vector3(1, 1, 0).normalized()).norm(), 1e-14);
  const NearestPoint face = surface.nearest(Vector3(2, 0.3, 0.4));
  EXPECT_EQ(face.feature, SurfaceFeature::kFace);
  EXPECT_LT((face.pseudonormal - Vector3(1, 0, 0)).norm(), 1e-14);
  EXPECT_LT((face.point - Vector3(1, 0.3, 0.4)).norm(), 1e-15);
}

TEST(SurfaceDistance, sheets_that_touch_in_an_edge_keep_their_sign) {
  // Two boxes of different size joined in one edge: its mean normal points into a solid.
  TriangleMesh mesh = merged(box_mesh(Vector3(0, 0, 0), Vector3(1, 1, 1)),
                             box_mesh(Vector3(1, 1, 0), Vector3(4, 2, 1)));
  weld(mesh);
  ASSERT_EQ(mesh.vertices.size(), 14U);
  const SurfaceDistance surface(mesh);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-0.5, 4.5);
  for (int i = 0; i < 20000; ++i) {
    const Vector3 p(uniform(random), uniform(random), 0.3 * uniform(random));
    const bool inside =
        (p.array() > 0).all() && p.z() < 1 &&
        ((p.x() < 1 && p.y() < 1) || (p.x() > 1 && p.x() < 4 && p.y() > 1 && p.y() < 2));
    EXPECT_EQ(surface.signed_distance(p) < 0.0, inside) << p.transpose();
  }
}

TEST(SurfaceDistance, slivers_in_a_face_do_not_change_the_sign) {
  // A T-junction closed by a triangle of no area along the edge (1,0,0)-(1,1,0).
  TriangleMesh mesh = box_mesh(Vector3::Zero(), Vector3::Ones());
  insert_sliver(mesh);
  ASSERT_TRUE(inspect_mesh(mesh).closed_manifold());
  const SurfaceDistance surface(mesh);
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> uniform(-1.0, 2.0);
  for (int i = 0; i < 20000; ++i) {
    const Vector3 p(uniform(random), uniform(random), uniform(random));
    EXPECT_NEAR(surface.signed_distance(p), box_distance(p, Vector3::Zero(), Vector3::Ones()),
                1e-14);
  }
}

RC_GTEST_PROP(SurfaceDistance, nearest_equals_the_minimum_over_all_triangles, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const double scale = std::pow(10.0, 3.0 * uniform(random));
  const Vector3 shift = 10.0 * scale * Vector3(uniform(random), uniform(random), uniform(random));
  TriangleMesh soup;
  for (std::uint32_t t = 0; t < 60; ++t) {
    for (int corner = 0; corner < 3; ++corner) {
      soup.vertices.push_back(shift +
                              scale * Vector3(uniform(random), uniform(random), uniform(random)));
    }
    soup.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  const SurfaceDistance surface(soup);
  for (int i = 0; i < 20; ++i) {
    const Vector3 p =
        shift + 3.0 * scale * Vector3(uniform(random), uniform(random), uniform(random));
    double best = std::numeric_limits<double>::infinity();
    for (std::uint32_t t = 0; t < 60; ++t) {
      best = std::min(best, surface.nearest_on_triangle(p, t).distance);
    }
    RC_ASSERT(surface.nearest(p).distance == best);
    RC_ASSERT(surface.nearest(p, static_cast<std::uint32_t>(i)).triangle ==
              surface.nearest(p).triangle);
    // The place of the nearest point: no sampled point of its triangle is nearer.
    const NearestPoint nearest = surface.nearest(p);
    const auto& t = soup.triangles[nearest.triangle];
    for (int sample = 0; sample < 50; ++sample) {
      double u = 0.5 + 0.5 * uniform(random);
      double v = 0.5 + 0.5 * uniform(random);
      if (u + v > 1.0) {
        u = 1.0 - u;
        v = 1.0 - v;
      }
      const Vector3 on =
          (1 - u - v) * soup.vertices[t[0]] + u * soup.vertices[t[1]] + v * soup.vertices[t[2]];
      RC_ASSERT((on - p).norm() >= nearest.distance * (1.0 - 1e-12) - 1e-12 * scale);
    }
  }
}

TEST(SurfaceDistance, a_mesh_without_area_is_refused) {
  TriangleMesh mesh;
  mesh.vertices = {Vector3::Zero(), Vector3::Ones(), 2.0 * Vector3::Ones()};
  mesh.triangles = {{0, 1, 2}};
  EXPECT_THROW(SurfaceDistance{mesh}, InputError);
}

class RealMesh : public testing::TestWithParam<const char*> {};

TEST_P(RealMesh, sign_agrees_with_the_winding_number) {
  TriangleMesh mesh;
  if (!load_real_mesh(GetParam(), mesh)) GTEST_SKIP() << "no real meshes: set HAPTIC_MESHES";
  ASSERT_TRUE(inspect_mesh(mesh).closed_manifold());
  const BoundingBox box = bounding_box(mesh);
  const SurfaceDistance surface(mesh);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-0.1, 1.1);
  int inside = 0;
  for (int i = 0; i < 1500; ++i) {
    const Vector3 p = box.lower + box.size().cwiseProduct(
                                      Vector3(uniform(random), uniform(random), uniform(random)));
    const double winding = winding_number(mesh, p);
    EXPECT_NEAR(winding, std::round(winding), 1e-6);
    EXPECT_EQ(surface.signed_distance(p) < 0.0, winding > 0.5) << p.transpose();
    inside += winding > 0.5 ? 1 : 0;
  }
  EXPECT_GT(inside, 50);
}

INSTANTIATE_TEST_SUITE_P(Closed, RealMesh,
                         testing::Values("spot.obj", "rocker-arm.obj", "fandisk.obj"),
                         [](const auto& mesh) { return test_name(mesh.param); });

}  // namespace
}  // namespace haptic
