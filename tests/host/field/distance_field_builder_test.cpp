#include "host/field/distance_field_builder.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "lab/samples/field_shapes.h"
#include "rt/geometry/distance_field.h"
#include "shared/error.h"

namespace haptic {
namespace {

DistanceField lookup(const DistanceGrid& grid, const std::array<double, 5>& frame) {
  return DistanceField(grid.values, frame);
}

Vector3 direction(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Vector3(normal(random), normal(random), normal(random)).normalized();
}

/// Largest distance of the polyhedron of sphere_mesh inside its sphere.
double facet_sag(double radius, int subdivisions) {
  const TriangleMesh mesh = sphere_mesh(radius, subdivisions);
  double sag = 0.0;
  for (const auto& t : mesh.triangles) {
    const Vector3 middle = (mesh.vertices[t[0]] + mesh.vertices[t[1]] + mesh.vertices[t[2]]) / 3.0;
    sag = std::max(sag, radius - middle.norm());
  }
  return sag;
}

TEST(DistanceFieldBuilder, sphere_field_is_within_a_voxel_of_exact) {
  const SurfaceDistance surface(sphere_mesh(0.5, 4));
  const DistanceGrid grid = build_distance_field(surface, {128, 1.5});
  const auto frame = grid.frame();
  const DistanceField field = lookup(grid, frame);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-0.75, 0.75);
  double worst = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const Vector3 p(uniform(random), uniform(random), uniform(random));
    worst = std::max(worst, std::abs(field.distance(p) - (p.norm() - 0.5)));
  }
  RecordProperty("worst_voxels", std::to_string(worst / grid.spacing));
  EXPECT_LE(worst, grid.spacing);

  // Away from the centre the field is smooth: trilinear error h^2/8 times the curvature 2/r.
  worst = 0.0;
  for (int i = 0; i < 100000; ++i) {
    const Vector3 p = direction(random) * std::uniform_real_distribution<double>(0.4, 0.7)(random);
    worst = std::max(worst, std::abs(field.distance(p) - (p.norm() - 0.5)));
  }
  EXPECT_LE(worst, grid.spacing * grid.spacing / (4.0 * 0.4) + facet_sag(0.5, 4));
}

TEST(DistanceFieldBuilder, outside_the_box_the_value_is_a_lower_bound) {
  const TriangleMesh mesh = sphere_mesh(0.5, 5);
  const SurfaceDistance surface(mesh);
  const DistanceGrid grid = build_distance_field(surface, {32, 1.5});
  const auto frame = grid.frame();
  const DistanceField field = lookup(grid, frame);
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  double slack = 1.0;
  for (int count = 0; count < 200000;) {
    const Vector3 p(uniform(random), uniform(random), uniform(random));
    if (p.cwiseAbs().maxCoeff() <= 0.75) continue;
    ++count;
    // The polyhedron lies inside the sphere, so the sphere is the harder case.
    slack = std::min(slack, p.norm() - 0.5 - field.distance(p));
  }
  EXPECT_GE(slack, 0.0);
  // The bound is tight where a face of the box is nearest, along the axes.
  EXPECT_NEAR(field.distance(Vector3(1.0, 0, 0)), 0.5, 1e-6);
}

TEST(DistanceFieldBuilder, out_of_box_bound_holds_for_an_object_off_the_grid_corners) {
  // A needle whose tip faces the middle of a voxel: the distance at the corners of the box is
  // larger than in front of the tip.
  TriangleMesh mesh = box_mesh(Vector3(-1.0, 0.031, 0.029), Vector3(1.0, 0.033, 0.03));
  const SurfaceDistance surface(mesh);
  const DistanceGrid grid = build_distance_field(surface, {16, 1.2});
  const auto frame = grid.frame();
  const DistanceField field = lookup(grid, frame);
  for (double x = 1.2; x < 3.0; x += 0.01) {
    const Vector3 p(x + 1e-3, 0.032, 0.0295);
    EXPECT_LE(field.distance(p), surface.signed_distance(p) + 1e-15);
  }
}

TEST(DistanceFieldBuilder, memory_is_four_bytes_a_corner) {
  const SurfaceDistance surface(box_mesh(Vector3::Zero(), Vector3::Ones()));
  const DistanceGrid grid = build_distance_field(surface, {128, 1.5});
  const double mebibytes = static_cast<double>(grid.values.size() * sizeof(float)) / 0x1p20;
  EXPECT_NEAR(mebibytes, 8.19, 0.005);
  // 512^3 by the same formula (the build itself takes 515 MiB).
  EXPECT_NEAR(std::pow(513.0, 3) * 4.0 / 0x1p20, 515.0, 0.05);
}

TEST(DistanceFieldBuilder, samples_are_exact_and_in_file_order) {
  const SurfaceDistance surface(box_mesh(Vector3(0, 0, 0), Vector3(1, 0.5, 0.25)));
  const DistanceGrid grid = build_distance_field(surface, {32, 1.5});
  EXPECT_DOUBLE_EQ(grid.spacing, 1.5 / 32);
  EXPECT_LT((grid.origin - Vector3(-0.25, -0.5, -0.625)).norm(), 1e-15);
  EXPECT_NEAR(grid.boundary_min, 0.25, 1e-7);
  EXPECT_LE(largest_step(grid), 1.0 + 1e-6);
  const std::size_t n = 33;
  for (std::size_t k = 0; k < n; k += 5) {
    for (std::size_t j = 0; j < n; j += 3) {
      for (std::size_t i = 0; i < n; i += 2) {
        const Vector3 p = grid.origin + grid.spacing * Vector3(double(i), double(j), double(k));
        EXPECT_EQ(grid.values[k * n * n + j * n + i],
                  static_cast<float>(surface.signed_distance(p)));
      }
    }
  }
}

TEST(DistanceFieldBuilder, the_number_of_threads_does_not_change_a_bit) {
  const SurfaceDistance surface(sphere_mesh(0.3, 4));
  DistanceGrid one;
  {
    const tbb::global_control serial(tbb::global_control::max_allowed_parallelism, 1);
    one = build_distance_field(surface, {32, 1.5});
  }
  const tbb::global_control wide(tbb::global_control::max_allowed_parallelism, 4);
  const DistanceGrid many = build_distance_field(SurfaceDistance(sphere_mesh(0.3, 4)), {32, 1.5});
  ASSERT_EQ(one.values.size(), many.values.size());
  EXPECT_EQ(std::memcmp(one.values.data(), many.values.data(), one.values.size() * sizeof(float)),
            0);
  EXPECT_EQ(one.frame(), many.frame());
}

TEST(DistanceFieldBuilder, progress_reaches_one) {
  double last = 0.0;
  build_distance_field(SurfaceDistance(box_mesh(Vector3::Zero(), Vector3::Ones())), {16, 1.5},
                       [&](double done) {
                         EXPECT_GT(done, last);
                         last = done;
                       });
  EXPECT_EQ(last, 1.0);
}

TEST(DistanceFieldBuilder, bad_settings_are_refused) {
  const SurfaceDistance surface(box_mesh(Vector3::Zero(), Vector3::Ones()));
  EXPECT_THROW(build_distance_field(surface, {100, 1.5}), InputError);
  EXPECT_THROW(build_distance_field(surface, {8, 1.5}), InputError);
  EXPECT_THROW(build_distance_field(surface, {1024, 1.5}), InputError);
  EXPECT_THROW(build_distance_field(surface, {32, 1.0}), InputError);
  EXPECT_THROW(build_distance_field(surface, {32, std::nan("")}), InputError);
}

TEST(DistanceFieldBuilder, an_open_surface_is_refused) {
  TriangleMesh open = box_mesh(Vector3::Zero(), Vector3::Ones());
  open.triangles.resize(10);
  EXPECT_THROW(build_distance_field(SurfaceDistance(open), {32, 1.5}), OperationError);
}

TEST(DistanceFieldBuilder, a_surface_turned_inside_out_is_refused) {
  TriangleMesh mesh = box_mesh(Vector3::Zero(), Vector3::Ones());
  for (auto& t : mesh.triangles) std::swap(t[1], t[2]);
  EXPECT_THROW(build_distance_field(SurfaceDistance(mesh), {32, 1.5}), OperationError);
}

TEST(DistanceFieldBuilder, the_unsigned_band_is_exact_near_and_never_too_large_far) {
  TriangleMesh open = sphere_mesh(0.5, 3);
  open.triangles.resize(open.triangles.size() / 2);
  const SurfaceDistance surface(open);
  const double band = 0.06;
  const DistanceGrid grid = build_unsigned_band(surface, {64, 1.5}, band);
  for (std::size_t k = 0; k <= 64; k += 3) {
    for (std::size_t j = 0; j <= 64; ++j) {
      for (std::size_t i = 0; i <= 64; ++i) {
        const auto exact = static_cast<float>(surface.unsigned_distance(grid.corner(i, j, k)));
        const float value = grid.values[grid.index(i, j, k)];
        if (exact < band) {
          EXPECT_EQ(value, exact);
        } else {
          EXPECT_LE(value, exact * (1.0f + 1e-6f));
          EXPECT_GE(value, band * (1.0 - 1e-6));
        }
      }
    }
  }
}

}  // namespace
}  // namespace haptic
