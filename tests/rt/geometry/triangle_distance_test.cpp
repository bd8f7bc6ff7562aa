#include "rt/geometry/triangle_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/rt/geometry/random_triangles.h"

namespace haptic {
namespace {

using TriangleDistance = RandomTriangles;

TEST_F(TriangleDistance, no_point_of_the_triangle_is_nearer_than_the_closest) {
  for (int trial = 0; trial < 500; ++trial) {
    const Corners t = triangle();
    const Vector3 p = 2.0 * vector();
    const ClosestPoint closest = closest_point(t, p);
    EXPECT_NEAR(closest.weights.sum(), 1.0, 1e-15);
    EXPECT_GE(closest.weights.minCoeff(), 0.0);
    const double distance = (p - closest.point).norm();
    constexpr int kSteps = 40;
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= kSteps; ++i) {
      for (int j = 0; i + j <= kSteps; ++j) {
        const Vector3 w(1.0 - (i + j) / double(kSteps), i / double(kSteps), j / double(kSteps));
        least = std::min(least, (p - t.at(w)).norm());
      }
    }
    EXPECT_LE(distance, least + 1e-12);
    // A sample is within a step along both edges.
    EXPECT_GE(distance, least - ((t.b - t.a).norm() + (t.c - t.a).norm()) / kSteps);
  }
}

TEST_F(TriangleDistance, a_triangle_without_area_gives_a_point_of_an_edge) {
  const Vector3 a(0, 0, 0), b(1, 0, 0), p(0.25, 1.0, 0.0);
  for (const Corners& t : {Corners{a, b, b}, Corners{a, a, b}, Corners{b, a, a},
                           Corners{a, b, 0.5 * b}, Corners{a, a, a}}) {
    const ClosestPoint closest = closest_point(t, p);
    EXPECT_TRUE(closest.point.allFinite());
    EXPECT_NEAR(closest.weights.sum(), 1.0, 1e-15);
    EXPECT_NEAR(closest.point[1], 0.0, 1e-15);
    EXPECT_EQ(t.normal(), Vector3::Zero());
  }
}

TEST_F(TriangleDistance, a_ball_stops_at_the_first_touch_and_never_past_it) {
  constexpr double kBall = 0.05, kSkin = 5e-5;
  int stopped = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const Corners t = triangle();
    const Vector3 from = 2.0 * vector(), to = 2.0 * vector();
    if ((from - closest_point(t, from).point).norm() < kBall) continue;
    const double fraction = free_fraction(t, from, to, kBall, kSkin);
    for (int i = 0; i <= 200; ++i) {
      const Vector3 x = from + fraction * i / 200.0 * (to - from);
      ASSERT_GE((x - closest_point(t, x).point).norm(), kBall - 2e-3 * kSkin) << trial;
    }
    if (fraction == 1.0) continue;
    const Vector3 end = from + fraction * (to - from);
    EXPECT_LE((end - closest_point(t, end).point).norm(), kBall + kSkin) << trial;
    ++stopped;
  }
  EXPECT_GT(stopped, 100);
}

}  // namespace
}  // namespace haptic
