#include "rt/worlds/cloth/touch/triangle_distance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "rt/worlds/cloth/touch/moving_triangle.h"

namespace haptic {
namespace {

class Randomly : public testing::Test {
 protected:
  Vector3 vector() { return {normal_(random_), normal_(random_), normal_(random_)}; }
  Corners triangle() { return {vector(), vector(), vector()}; }
  double uniform() { return std::uniform_real_distribution<double>(0.0, 1.0)(random_); }

 private:
  std::mt19937 random_{7};
  std::normal_distribution<double> normal_;
};

using TriangleDistance = Randomly;
using MovingTriangle = Randomly;

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

TEST_F(MovingTriangle, a_known_crossing_is_found_with_its_time_weights_and_side) {
  int found = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const Corners start = triangle();
    const Corners end{start.a + vector(), start.b + vector(), start.c + vector()};
    // A point that is in the triangle at a known time, with any velocity.
    const double time = 0.05 + 0.9 * uniform();
    Vector3 w(uniform(), uniform(), uniform());
    w = (w / w.sum()).eval();
    const Vector3 there = (1.0 - time) * start.at(w) + time * end.at(w), velocity = vector();
    Crossing crossing;
    // There may be another before it.
    ASSERT_TRUE(first_crossing(start, end, there - time * velocity, there + (1.0 - time) * velocity,
                               0.0, crossing))
        << trial;
    EXPECT_LE(crossing.time, time + 1e-6) << trial;
    // At the time that it says, the point is in the triangle.
    const Vector3 p = there + (crossing.time - time) * velocity;
    const Vector3 q = (1.0 - crossing.time) * start.at(crossing.weights) +
                      crossing.time * end.at(crossing.weights);
    EXPECT_LT((p - q).norm(), 1e-6) << trial;
    const double height = start.normal().dot(there - time * velocity - start.a);
    found += std::abs(crossing.time - time) < 1e-6;
    // The volume at the start has the sign of the side at the first root.
    if (crossing.time < 1e-3) {
      EXPECT_GT(crossing.side * height, 0.0);
    }
  }
  EXPECT_GT(found, 1500);
}

TEST_F(MovingTriangle, both_sides_of_a_still_triangle) {
  const Corners t{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  Crossing crossing;
  ASSERT_TRUE(first_crossing(t, t, {0.25, 0.25, 1.0}, {0.25, 0.25, -3.0}, 0.0, crossing));
  EXPECT_NEAR(crossing.time, 0.25, 1e-15);
  EXPECT_EQ(crossing.side, 1.0);
  EXPECT_LT((crossing.weights - Vector3(0.5, 0.25, 0.25)).norm(), 1e-15);
  ASSERT_TRUE(first_crossing(t, t, {0.25, 0.25, -1.0}, {0.25, 0.25, 1.0}, 0.0, crossing));
  EXPECT_EQ(crossing.side, -1.0);
  EXPECT_FALSE(first_crossing(t, t, {0.75, 0.75, 1.0}, {0.75, 0.75, -1.0}, 0.0, crossing));
  // What ends within the tolerance has met it; what starts on it has no side.
  EXPECT_FALSE(first_crossing(t, t, {0.25, 0.25, 1.0}, {0.25, 0.25, 1e-3}, 0.0, crossing));
  EXPECT_TRUE(first_crossing(t, t, {0.25, 0.25, 1.0}, {0.25, 0.25, 1e-3}, 2e-3, crossing));
  EXPECT_EQ(crossing.time, 1.0);
  EXPECT_FALSE(first_crossing(t, t, {0.25, 0.25, 0.0}, {0.25, 0.25, -1.0}, 0.0, crossing));
}

}  // namespace
}  // namespace haptic
