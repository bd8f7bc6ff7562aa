#include "rt/geometry/distance_field.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "lab/oracle/field_scene.h"
#include "shared/error.h"

namespace haptic {
namespace {

using namespace oracle;

FieldData sphere_field(std::uint32_t n) {
  return sample_field([](const Vector3& p) { return sphere_distance(p, 0.5); }, n, 1.5);
}

TEST(DistanceField, trilinear_against_exact_sphere) {
  const FieldData data = sphere_field(128);
  const DistanceField field = data.view();
  Random random(29);
  double worst = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const Vector3 p = random_vector(random, 0.75);
    worst = std::max(worst, std::abs(field.distance(p) - sphere_distance(p, 0.5)));
  }
  EXPECT_LE(worst, field.edge());
  RecordProperty("worst_error_in_voxels", std::to_string(worst / field.edge()));
}

TEST(DistanceField, outside_the_box_the_value_is_a_lower_bound) {
  const FieldData data = sphere_field(64);
  const DistanceField field = data.view();
  Random random(30);
  int outside = 0;
  double least = std::numeric_limits<double>::infinity();
  while (outside < 200000) {
    const Vector3 p = random_vector(random, 3.0);
    if (p.cwiseAbs().maxCoeff() <= 0.75) continue;
    ++outside;
    least = std::min(least, sphere_distance(p, 0.5) - field.distance(p));
    ASSERT_GT(field.distance(p), 0.0);
  }
  // The middle of a face is the closest place: exact there up to the float rounding of the samples.
  EXPECT_GE(least, -1e-7);
}

TEST(DistanceField, memory_is_the_samples_alone) {
  const FieldData data = sphere_field(128);
  const double mebibyte = 1024.0 * 1024.0;
  EXPECT_EQ(data.view().resolution(), 128u);
  EXPECT_NEAR(static_cast<double>(data.values.size() * sizeof(float)) / mebibyte, 8.19, 0.005);
  EXPECT_NEAR(513.0 * 513.0 * 513.0 * sizeof(float) / mebibyte, 515.0, 0.05);
}

TEST(DistanceField, gradient_is_the_derivative_of_the_value) {
  const FieldData data = sphere_field(16);
  const DistanceField field = data.view();
  Random random(1);
  const double step = 1e-6;
  int compared = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vector3 p = random_vector(random, i % 2 == 0 ? 0.75 : 1.5);
    const Vector3 in_cells = (p - field.lower()) / field.edge();
    const Vector3 fraction = in_cells - in_cells.array().floor().matrix();
    // Away from voxel faces, where the derivative jumps.
    if (fraction.minCoeff() < 1e-3 || fraction.maxCoeff() > 1.0 - 1e-3) continue;
    if ((p.cwiseAbs().array() - 0.75).abs().minCoeff() < 1e-3) continue;
    const DistanceField::Sample sample = field.distance_and_gradient(p);
    EXPECT_NEAR(sample.distance, field.distance(p), 1e-15);
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3 e = step * Vector3::Unit(axis);
      const double slope = (field.distance(p + e) - field.distance(p - e)) / (2.0 * step);
      // Trilinear along an axis is linear: only rounding, 1e-16 / 1e-6. Outside curvature adds
      // 1e-9.
      ASSERT_NEAR(sample.gradient[axis], slope, 1e-8);
    }
    ++compared;
  }
  EXPECT_GT(compared, 10000);
}

TEST(DistanceField, is_exact_at_samples_and_closed_at_the_upper_faces) {
  const FieldData data = sphere_field(8);
  const DistanceField field = data.view();
  std::size_t at = 0;
  for (int k = 0; k <= 8; ++k) {
    for (int j = 0; j <= 8; ++j) {
      for (int i = 0; i <= 8; ++i, ++at) {
        const Vector3 p = field.lower() + field.edge() * Vector3(i, j, k);
        EXPECT_NEAR(field.distance(p), data.values[at], 1e-15);
      }
    }
  }
}

TEST(DistanceField, a_point_that_is_not_finite_has_no_distance) {
  const FieldData data = sphere_field(8);
  const DistanceField field = data.view();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(field.distance({nan, 0.0, 0.0}) < 0.0);
  EXPECT_FALSE(field.distance({0.0, 0.0, nan}) < 0.0);
  EXPECT_FALSE(field.distance({0.0, -infinity, 0.0}) < 0.0);
  EXPECT_FALSE(field.distance({1e300, 1e300, 1e300}) < 0.0);
}

TEST(DistanceField, a_batch_has_the_bits_of_single_points) {
  const FieldData data = sphere_field(32);
  for (const char* target : {"avx2", "avx512"}) {
    if (!has_avx512() && target == std::string("avx512")) continue;
    setenv("HAPTIC_SIMD", target, 1);
    const DistanceField field = data.view();
    unsetenv("HAPTIC_SIMD");
    Random random(3);
    for (int round = 0; round < 4000; ++round) {
      FieldPoints points;
      const auto count = static_cast<std::uint32_t>(1 + round % 16);
      for (std::uint32_t i = 0; i < kFieldBatch; ++i) {
        Vector3 p = random_vector(random, round % 3 == 0 ? 1.1 : 0.75);
        if (round % 7 == 0) p[static_cast<int>(i % 3)] = 0.75;  // on the upper face
        if (round % 11 == 0 && i % 5 == 0) p.y() = std::numeric_limits<double>::quiet_NaN();
        points.x[i] = p.x(), points.y[i] = p.y(), points.z[i] = p.z();
      }
      FieldSamples samples, published;
      field.evaluate(points, count, Culling::kSafe, samples);
      field.evaluate(points, count, Culling::kPublished, published);
      for (std::uint32_t i = 0; i < count; ++i) {
        const Vector3 p(points.x[i], points.y[i], points.z[i]);
        const double expected = field.distance(p);
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(samples.distance[i]) && std::isnan(samples.free_radius[i]));
          continue;
        }
        ASSERT_EQ(samples.distance[i], expected);
        ASSERT_EQ(published.free_radius[i], expected);
        ASSERT_EQ(field.distance_and_gradient(p).distance, expected);
        ASSERT_EQ(samples.free_radius[i], field.free_radius(expected, p, Culling::kSafe));
      }
    }
  }
}

TEST(DistanceField, reach_contains_the_inside_and_little_more) {
  const FieldData data = sphere_field(64);
  const DistanceField field = data.view();
  EXPECT_GE(field.reach(), 0.5 - field.edge());
  EXPECT_LE(field.reach(), 0.5 + 2.0 * field.edge());
  const FieldData empty = sample_field([](const Vector3&) { return 0.1; }, 8, 1.0);
  EXPECT_EQ(empty.view().reach(), 0.0);
  EXPECT_NEAR(field.inner_depth(), 0.5, field.edge());
  EXPECT_EQ(empty.view().inner_depth(), 0.0);
}

TEST(DistanceField, refuses_invalid_data) {
  const FieldData good = sphere_field(8);
  EXPECT_NO_THROW(good.view());
  FieldData bad = sphere_field(6);  // not a power of two
  EXPECT_THROW(bad.view(), InputError);
  bad = good;
  bad.values.pop_back();
  EXPECT_THROW(bad.view(), InputError);
  bad = good;
  bad.values[100] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(bad.view(), InputError);
  bad = good;
  bad.frame.pop_back();
  EXPECT_THROW(bad.view(), InputError);
  for (std::size_t i = 0; i < 5; ++i) {
    bad = good;
    bad.frame[i] = std::numeric_limits<double>::infinity();
    EXPECT_THROW(bad.view(), InputError) << i;
  }
  bad = good;
  bad.frame[3] = 0.0;
  EXPECT_THROW(bad.view(), InputError);
  bad = good;
  bad.frame[4] = 0.0;  // the object touches its box
  EXPECT_THROW(bad.view(), InputError);
  bad = good;
  bad.frame[4] *= 1.01;  // a bound that does not bound
  EXPECT_THROW(bad.view(), InputError);
  bad = good;
  bad.frame[1] = 1e20;  // the box's corners are one number
  EXPECT_THROW(bad.view(), InputError);
  bad = good;
  bad.frame[2] = 1.7e308;
  bad.frame[3] = 1e308;
  EXPECT_THROW(bad.view(), InputError);
  bad.values.clear();
  EXPECT_THROW(bad.view(), InputError);
}

}  // namespace
}  // namespace haptic
