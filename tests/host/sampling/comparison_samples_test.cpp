#include "host/sampling/comparison_samples.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "host/mesh/catalogue.h"
#include "host/sampling/nearest_points.h"
#include "lab/samples/field_shapes.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// A square of side 1 whose normal is n, cut into many triangles of uneven size.
TriangleMesh tilted_square(const Vector3& n, std::mt19937_64& random) {
  const Vector3 u = n.unitOrthogonal(), v = n.cross(u);
  std::uniform_real_distribution<double> jitter(-0.3, 0.3);
  constexpr int kCells = 9;
  TriangleMesh mesh;
  for (int j = 0; j <= kCells; ++j) {
    for (int i = 0; i <= kCells; ++i) {
      const bool rim = i == 0 || j == 0 || i == kCells || j == kCells;
      const double a = (i + (rim ? 0.0 : jitter(random))) / kCells - 0.5;
      const double b = (j + (rim ? 0.0 : jitter(random))) / kCells - 0.5;
      mesh.vertices.push_back(a * u + b * v);
    }
  }
  for (std::uint32_t j = 0; j < kCells; ++j) {
    for (std::uint32_t i = 0; i < kCells; ++i) {
      const std::uint32_t a = j * (kCells + 1) + i, b = a + kCells + 1;
      mesh.triangles.push_back({a, a + 1, b + 1});
      mesh.triangles.push_back({a, b + 1, b});
    }
  }
  return mesh;
}

/// Largest distance of a place in the square, a margin from its rim, from the nearest sample.
double covering_radius(const UnorderedSamples& samples, const Vector3& n, double margin) {
  const Vector3 u = n.unitOrthogonal(), v = n.cross(u);
  const NearestPoints search(samples.points);
  const int steps = 300;
  double worst = 0.0;
  for (int j = 0; j <= steps; ++j) {
    for (int i = 0; i <= steps; ++i) {
      const double a = (1.0 - 2.0 * margin) * (static_cast<double>(i) / steps - 0.5);
      const double b = (1.0 - 2.0 * margin) * (static_cast<double>(j) / steps - 0.5);
      const Vector3 p = a * u + b * v;
      worst = std::max(worst, (p - samples.points[search.nearest(p)]).norm());
    }
  }
  return worst;
}

TEST(ComparisonSamples, every_place_of_a_plane_is_near_a_ray) {
  std::mt19937_64 random(27);
  std::normal_distribution<double> normal;
  std::vector<Vector3> normals = {Vector3(1, 1, 0).normalized(), Vector3(1, 1, 1).normalized(),
                                  Vector3(0.02, 1, 0.01).normalized()};
  for (int i = 0; i < 20; ++i) {
    normals.push_back(Vector3(normal(random), normal(random), normal(random)).normalized());
  }
  const double h = 0.05;
  double worst = 0.0;
  for (const Vector3& n : normals) {
    const SurfaceDistance square(tilted_square(n, random));
    const UnorderedSamples samples = layered_depth_samples(square, h);
    worst = std::max(worst, covering_radius(samples, n, 2.0 * h));
    EXPECT_LE(worst, h * (std::sqrt(3.0) / 2.0 + 1e-3)) << n.transpose();
  }
  // The bound is not far: the plane (1, 1, 0) reaches it where the hits of two bundles coincide.
  EXPECT_GE(worst, h * 0.75);
}

TEST(ComparisonSamples, rays_meet_a_closed_surface_an_even_number_of_times) {
  // Coordinates on a coarse lattice and rays through its points: many rays meet edges and vertices
  // exactly. Where a ray passes from outside to inside and out again the hits come in pairs.
  TriangleMesh box = box_mesh(Vector3::Zero(), Vector3::Ones());
  const SurfaceDistance surface(box);
  for (const double h : {0.25, 0.2, 0.125}) {
    const UnorderedSamples samples = layered_depth_samples(surface, h);
    const auto rays = static_cast<std::size_t>(std::lround(1.0 / h));
    EXPECT_EQ(samples.points.size(), 3 * 2 * rays * rays) << h;
    for (std::size_t s = 0; s < samples.points.size(); ++s) {
      EXPECT_LE(surface.unsigned_distance(samples.points[s]), 1e-15);
      EXPECT_LE(surface.nearest_on_triangle(samples.points[s], samples.triangles[s]).distance,
                1e-15);
    }
  }
  // The diagonals of the box's sides: along a diagonal every ray meets the edge of two triangles.
  const UnorderedSamples samples = layered_depth_samples(surface, 0.5);
  EXPECT_EQ(samples.points.size(), 24U);
}

TEST(ComparisonSamples, voxels_are_those_the_surface_meets) {
  const TriangleMesh mesh = sphere_mesh(0.1, 4);
  const SurfaceDistance surface(mesh);
  const double h = 0.011;
  const UnorderedSamples samples = voxel_samples(surface, h);
  std::map<std::array<long, 3>, int> seen;
  for (std::size_t s = 0; s < samples.points.size(); ++s) {
    const Vector3 cell = samples.points[s] / h;
    const std::array<long, 3> at = {std::lround(cell.x()), std::lround(cell.y()),
                                    std::lround(cell.z())};
    EXPECT_NEAR(
        (cell - Vector3(std::round(cell.x()), std::round(cell.y()), std::round(cell.z()))).norm(),
        0.0, 1e-9)
        << "centred cells";
    EXPECT_EQ(++seen[at], 1) << "each once";
    EXPECT_LE(surface.unsigned_distance(samples.points[s]), h * std::sqrt(3.0) / 2.0);
  }
  // A voxel whose centre is nearer than half its edge meets the surface for certain.
  for (long k = -12; k <= 12; ++k) {
    for (long j = -12; j <= 12; ++j) {
      for (long i = -12; i <= 12; ++i) {
        const Vector3 centre =
            h * Vector3(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k));
        if (surface.unsigned_distance(centre) < 0.5 * h) {
          EXPECT_EQ(seen.count({i, j, k}), 1U);
        }
      }
    }
  }
}

TEST(ComparisonSamples, vertices_are_each_used_vertex_once) {
  TriangleMesh mesh = sphere_mesh(0.1, 3);
  mesh.vertices.emplace_back(1.0, 1.0, 1.0);  // in no triangle
  const UnorderedSamples samples = vertex_samples(SurfaceDistance(mesh));
  EXPECT_EQ(samples.points.size(), mesh.vertices.size() - 1);
  for (std::size_t s = 0; s < samples.points.size(); ++s) {
    EXPECT_NEAR(samples.points[s].norm(), 0.1, 1e-15);
  }
}

TEST(ComparisonSamples, bad_spacings_are_refused) {
  const SurfaceDistance surface(box_mesh(Vector3::Zero(), Vector3::Ones()));
  for (const double h : {0.0, -1.0, 1e-4, std::nan("")}) {
    EXPECT_THROW(voxel_samples(surface, h), InputError) << h;
    EXPECT_THROW(layered_depth_samples(surface, h), InputError) << h;
  }
  EXPECT_THROW(layered_depth_samples(surface, 3.0), InputError) << "no ray meets the box";
}

}  // namespace
}  // namespace haptic
