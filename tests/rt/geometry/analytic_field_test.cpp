#include "rt/geometry/analytic_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "lab/oracle/field_scene.h"
#include "rt/geometry/distance_field.h"
#include "shared/error.h"

namespace haptic {
namespace {

using namespace oracle;

std::vector<AnalyticShape> shapes() {
  return {{ShapeKind::kSphere, {0.5}},
          {ShapeKind::kBox, {0.8, 0.5, 0.3}},
          {ShapeKind::kPlane, {1.0}},
          {ShapeKind::kCapsule, {0.2, 0.5}},
          {ShapeKind::kTorus, {0.35, 0.12}}};
}

/// Points on the surface of a shape, dense to about 0.01.
std::vector<Vector3> surface_points(const AnalyticShape& shape) {
  Random random(5);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<Vector3> points;
  const auto& s = shape.size;
  for (int i = 0; i < 60000; ++i) {
    const Vector3 n = random_direction(random);
    Vector3 p = Vector3::Zero();
    if (shape.kind == ShapeKind::kSphere) p = s[0] * n;
    if (shape.kind == ShapeKind::kBox) {
      for (int axis = 0; axis < 3; ++axis) p[axis] = s[axis] * (unit(random) - 0.5);
      const int face = i % 3;
      p[face] = (i / 3 % 2 == 0 ? 0.5 : -0.5) * s[face];
    }
    if (shape.kind == ShapeKind::kPlane) p = Vector3(3.0 * n.x(), 3.0 * n.y(), 0.0);
    if (shape.kind == ShapeKind::kCapsule) {
      const double z = s[1] * (unit(random) - 0.5);
      const Vector3 side = s[0] * Vector3(n.x(), n.y(), 0.0).normalized();
      p = i % 2 == 0 ? Vector3(side + Vector3(0.0, 0.0, z))
                     : Vector3(s[0] * n + Vector3(0.0, 0.0, std::copysign(0.5 * s[1], n.z())));
    }
    if (shape.kind == ShapeKind::kTorus) {
      const double u = 6.2831853 * unit(random), v = 6.2831853 * unit(random);
      const Vector3 out(std::cos(u), std::sin(u), 0.0);
      p = (s[0] + s[1] * std::cos(v)) * out + s[1] * std::sin(v) * Vector3::UnitZ();
    }
    points.push_back(p);
  }
  return points;
}

TEST(AnalyticField, is_the_distance_to_its_surface) {
  for (const AnalyticShape& shape : shapes()) {
    const AnalyticField field(shape);
    const std::vector<Vector3> surface = surface_points(shape);
    for (const Vector3& p : surface) ASSERT_NEAR(field.distance(p), 0.0, 1e-12) << shape.text();
    Random random(6);
    for (int i = 0; i < 60; ++i) {
      const Vector3 p = random_vector(random, 0.7);
      double nearest = std::numeric_limits<double>::infinity();
      for (const Vector3& s : surface) nearest = std::min(nearest, (p - s).norm());
      // No surface point is nearer than the distance; the nearest sample is a spacing away.
      EXPECT_GE(nearest, std::abs(field.distance(p)) - 1e-12) << shape.text();
      EXPECT_LE(nearest, std::abs(field.distance(p)) + 0.03) << shape.text();
    }
  }
}

TEST(AnalyticField, is_1_lipschitz_with_a_unit_gradient_that_is_its_derivative) {
  for (const AnalyticShape& shape : shapes()) {
    const AnalyticField field(shape);
    Random random(7);
    int smooth = 0;
    for (int i = 0; i < 20000; ++i) {
      const Vector3 p = random_vector(random, 0.8), q = random_vector(random, 0.8);
      ASSERT_LE(std::abs(field.distance(p) - field.distance(q)), (p - q).norm() + 1e-14);
      const SignedField::Sample sample = field.distance_and_gradient(p);
      ASSERT_NEAR(sample.gradient.norm(), 1.0, 1e-12);
      constexpr double kStep = 1e-6;
      Vector3 slope;
      for (int axis = 0; axis < 3; ++axis) {
        const Vector3 e = kStep * Vector3::Unit(axis);
        slope[axis] = (field.distance(p + e) - field.distance(p - e)) / (2.0 * kStep);
      }
      // Central differences of a distance: 1e-16 / 1e-6 of rounding, 1e-12 of curvature; at the
      // medial axis (rare in a volume) there is no derivative.
      if ((slope - sample.gradient).norm() < 1e-6) ++smooth;
    }
    EXPECT_GT(smooth, 19900) << shape.text();
  }
}

TEST(AnalyticField, a_gridded_field_agrees_to_a_voxel) {
  for (const AnalyticShape& shape : shapes()) {
    if (shape.kind == ShapeKind::kPlane) continue;  // a half-space has no box
    const AnalyticField exact(shape);
    for (const std::uint32_t n : {32u, 64u}) {
      const FieldData data =
          sample_field([&](const Vector3& p) { return exact.distance(p); }, n, 1.5);
      const DistanceField gridded = data.view();
      Random random(33);
      double worst = 0.0;
      for (int i = 0; i < 20000; ++i) {
        const Vector3 p = random_vector(random, 0.75);
        worst = std::max(worst, std::abs(gridded.distance(p) - exact.distance(p)));
      }
      EXPECT_LE(worst, 0.5 * std::sqrt(3.0) * gridded.edge()) << shape.text() << " " << n;
      EXPECT_LE(exact.reach(), gridded.reach());
      // The deepest sample is at most half a cell's diagonal from the deepest point.
      EXPECT_LE(gridded.inner_depth(), exact.inner_depth() + 1e-7);
      EXPECT_GE(gridded.inner_depth(), exact.inner_depth() - 0.5 * std::sqrt(3.0) * gridded.edge());
      EXPECT_LE(gridded.reach(), exact.reach() + 2.0 * std::sqrt(3.0) * gridded.edge());
    }
  }
}

TEST(AnalyticField, the_result_of_a_point_does_not_depend_on_its_place_in_a_batch) {
  for (const AnalyticShape& shape : shapes()) {
    const AnalyticField field(shape);
    Random random(8);
    for (int round = 0; round < 200; ++round) {
      FieldPoints batch;
      for (std::uint32_t i = 0; i < kFieldBatch; ++i) {
        const Vector3 p = random_vector(random, 0.8);
        batch.x[i] = p.x(), batch.y[i] = p.y(), batch.z[i] = p.z();
      }
      FieldSamples samples;
      field.evaluate(batch, kFieldBatch, Culling::kSafe, samples);
      for (std::uint32_t i = 0; i < kFieldBatch; ++i) {
        const Vector3 p(batch.x[i], batch.y[i], batch.z[i]);
        ASSERT_EQ(samples.distance[i], field.distance(p));
        if (samples.distance[i] < 0.0) continue;
        for (int probe = 0; probe < 4; ++probe) {
          const Vector3 near = p + samples.free_radius[i] * random_direction(random);
          ASSERT_GE(field.distance(near), 0.0);
        }
      }
    }
  }
}

TEST(AnalyticField, a_point_that_is_not_a_number_has_no_contact) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const AnalyticShape& shape : shapes()) {
    const AnalyticField field(shape);
    for (int axis = 0; axis < 3; ++axis) {
      Vector3 p = Vector3::Zero();
      p[axis] = nan;
      EXPECT_FALSE(field.distance(p) < 0.0) << shape.text() << " axis " << axis;
    }
  }
}

TEST(AnalyticShape, text_and_shape_convert_both_ways) {
  for (AnalyticShape shape : shapes()) {
    shape.size[0] *= 1.0 / 3.0;
    EXPECT_EQ(parse_shape(shape.text()), shape);
    AnalyticShape other = shape;
    other.size[0] = std::nextafter(other.size[0], 1.0);
    EXPECT_NE(other.hash(), shape.hash());
  }
  for (const char* bad : {"shape:cone radius=1", "shape:sphere", "shape:sphere radius=-1",
                          "shape:sphere radius=nan", "shape:sphere radius=1 tube=2",
                          "shape:torus radius=1", "model.h5", "shape:box x=1 y=1 z=1e999"}) {
    EXPECT_THROW((void)parse_shape(bad), InputError) << bad;
  }
  EXPECT_THROW(AnalyticField({ShapeKind::kTorus, {0.1, 0.2}}), InputError);
  EXPECT_THROW(AnalyticField({ShapeKind::kSphere, {0.0}}), InputError);
}

}  // namespace
}  // namespace haptic
