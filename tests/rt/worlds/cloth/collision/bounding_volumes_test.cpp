#include "rt/worlds/cloth/collision/bounding_volumes.h"

#include <gtest/gtest.h>

#include <limits>

#include "lab/cloth/sphere_volume.h"
#include "lab/samples/moving_cloths.h"

namespace haptic::cloth {
namespace {

TEST(BoundingVolumes, a_triangle_is_in_its_volumes_and_these_are_tight) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector3 a = random_point(random, -1, 1), b = random_point(random, -1, 1),
                  c = random_point(random, -1, 1);
    BoxVolume box;
    lab::SphereVolume sphere;
    bound(a, b, c, box);
    bound(a, b, c, sphere);
    for (const Vector3& corner : {a, b, c}) {
      EXPECT_TRUE(contains(box, corner));
      EXPECT_TRUE(contains(sphere, corner));
    }
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(box.lower[axis], std::min({a[axis], b[axis], c[axis]}));
      EXPECT_EQ(box.upper[axis], std::max({a[axis], b[axis], c[axis]}));
    }
    const Vector3 centroid = (a + b + c) / 3.0;
    const double farthest =
        std::max({(a - centroid).norm(), (b - centroid).norm(), (c - centroid).norm()});
    EXPECT_NEAR(sphere.radius, farthest, 1e-14);
    inflate(box, 0.25);
    inflate(sphere, 0.25);
    EXPECT_EQ(box.upper.x(), std::max({a.x(), b.x(), c.x()}) + 0.25);
    EXPECT_EQ(box.lower.z(), std::min({a.z(), b.z(), c.z()}) - 0.25);
    EXPECT_NEAR(sphere.radius, farthest + 0.25, 1e-14);
  }
}

TEST(BoundingVolumes, merged_spheres_are_the_smallest_around_both) {
  const lab::SphereVolume apart =
      merged(lab::SphereVolume{{1, 0, 0}, 1.0}, lab::SphereVolume{{5, 0, 0}, 2.0});  // from 0 to 7
  EXPECT_NEAR(apart.radius, 3.5, 1e-14);
  EXPECT_NEAR((apart.centre - Vector3(3.5, 0, 0)).norm(), 0.0, 1e-14);
  const lab::SphereVolume large{{0, 0, 0}, 3.0}, small{{1, 0, 0}, 1.0};
  EXPECT_EQ(merged(large, small).radius, 3.0);
  EXPECT_EQ(merged(small, large).radius, 3.0);
  EXPECT_EQ(merged(small, large).centre, large.centre);
  EXPECT_EQ(merged(small, small).radius, 1.0);
  // A kilometre from the origin the centre is rounded by more than the radius is.
  std::mt19937 random(5);
  for (int trial = 0; trial < 1000; ++trial) {
    lab::SphereVolume parts[2];
    for (lab::SphereVolume& part : parts) {
      part = {Vector3(1e3, 2e3, -1e3) + random_point(random, -1e-3, 1e-3), 1e-4};
    }
    const lab::SphereVolume both = merged(parts[0], parts[1]);
    for (const lab::SphereVolume& part : parts) {
      EXPECT_LE((part.centre - both.centre).norm() + part.radius, both.radius);
      EXPECT_LE(both.radius, 2e-3 + 1e-4);
    }
  }
}

TEST(BoundingVolumes, merged_boxes_are_the_smallest_around_both) {
  const BoxVolume box = merged(BoxVolume{{0, 0, 0}, {1, 2, 3}}, BoxVolume{{-1, 1, 1}, {0, 4, 2}});
  EXPECT_EQ(box.lower, Vector3(-1, 0, 0));
  EXPECT_EQ(box.upper, Vector3(1, 4, 3));
  const BoxVolume with_empty = merged(BoxVolume{}, box);
  EXPECT_EQ(with_empty.lower, box.lower);
  EXPECT_EQ(with_empty.upper, box.upper);
  EXPECT_FALSE(overlap(BoxVolume{}, BoxVolume{Vector3::Constant(-9), Vector3::Constant(9)}));
}

TEST(BoundingVolumes, volumes_that_touch_overlap_and_separate_ones_do_not) {
  const BoxVolume unit{{0, 0, 0}, {1, 1, 1}};
  for (int axis = 0; axis < 3; ++axis) {
    for (const double side : {-1.0, 1.0}) {
      BoxVolume other = unit;
      other.lower[axis] += side;
      other.upper[axis] += side;
      EXPECT_TRUE(overlap(unit, other));
      other.lower[axis] += 1e-15 * side;
      other.upper[axis] += 1e-15 * side;
      EXPECT_FALSE(overlap(unit, other) && overlap(other, unit));
      lab::SphereVolume ball{{0.5, 0.5, 0.5}, 0.25};
      ball.centre[axis] += 0.75 * side;
      EXPECT_TRUE(overlap(ball, unit));
      ball.centre[axis] += 1e-9 * side;
      EXPECT_FALSE(overlap(ball, unit));
      lab::SphereVolume second{ball.centre, 0.5};
      second.centre[axis] += 0.75;
      EXPECT_TRUE(overlap(ball, second));
      second.centre[axis] += 1e-9;
      EXPECT_FALSE(overlap(ball, second));
    }
  }
  const lab::SphereVolume at_corner{{2, 2, 1}, 1.4143};  // sqrt(2) from the edge
  EXPECT_TRUE(overlap(at_corner, unit));
  EXPECT_FALSE(overlap(lab::SphereVolume{{2, 2, 1}, 1.4142}, unit));
}

TEST(BoundingVolumes, a_swept_point_overlaps_what_it_passes) {
  // Samples of the path: each in the volume says yes; where all stay 0.02 away, the answer is no.
  std::mt19937 random(7);
  int passed = 0, missed = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const lab::SweptPoint path{random_point(random, -1, 1), random_point(random, -1, 1),
                               trial % 2 == 0 ? 0.0 : 0.05};
    const Vector3 p = random_point(random, -1, 1), q = random_point(random, -1, 1);
    const BoxVolume box{p.cwiseMin(q), p.cwiseMax(q)};
    const lab::SphereVolume sphere{p, 0.3};
    double to_box = HUGE_VAL, to_sphere = HUGE_VAL;
    for (int k = 0; k <= 200; ++k) {
      const Vector3 s = path.from + k / 200.0 * (path.to - path.from);
      const Vector3 nearest = s.cwiseMax(box.lower).cwiseMin(box.upper);
      to_box = std::min(to_box, (s - nearest).cwiseAbs().maxCoeff());
      to_sphere = std::min(to_sphere, (s - p).norm() - 0.3);
    }
    // A sample is within 0.0087 of any place of the path (half of 2 sqrt(3) / 200).
    if (to_box <= path.radius) {
      EXPECT_TRUE(overlap(box, path));
    }
    if (to_box > path.radius + 0.009) {
      EXPECT_FALSE(overlap(box, path));
    }
    if (to_sphere <= path.radius) {
      EXPECT_TRUE(overlap(sphere, path));
    }
    if (to_sphere > path.radius + 0.009) {
      EXPECT_FALSE(overlap(sphere, path));
    }
    passed += to_box <= path.radius ? 1 : 0;
    missed += to_box > path.radius + 0.009 ? 1 : 0;
  }
  EXPECT_GT(passed, 500);
  EXPECT_GT(missed, 500);
  // A point that stands is a ball.
  const lab::SweptPoint still{{2, 0, 0}, {2, 0, 0}, 0.5};
  EXPECT_TRUE(overlap(lab::SphereVolume{{0, 0, 0}, 1.5}, still));
  EXPECT_FALSE(overlap(lab::SphereVolume{{0, 0, 0}, 1.4999}, still));
  EXPECT_TRUE(overlap(BoxVolume{{0, 0, 0}, {1.5, 1, 1}}, still));
  EXPECT_FALSE(overlap(BoxVolume{{0, 0, 0}, {1.4999, 1, 1}}, still));
}

TEST(BoundingVolumes, numbers_that_are_not_finite_are_not_bounded) {
  EXPECT_TRUE(is_bounded({1e100, -1e100, 0}));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL, 2e100}) {
    EXPECT_FALSE(is_bounded({bad, 0, 0}));
    EXPECT_FALSE(is_bounded({0, bad, 0}));
    EXPECT_FALSE(is_bounded({0, 0, bad}));
  }
}

}  // namespace
}  // namespace haptic::cloth
