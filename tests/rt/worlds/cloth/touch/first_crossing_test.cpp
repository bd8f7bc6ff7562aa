#include "rt/worlds/cloth/touch/first_crossing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/rt/geometry/random_triangles.h"

namespace haptic::cloth {
namespace {

using FirstCrossing = RandomTriangles;

TEST_F(FirstCrossing, a_known_crossing_is_found_with_its_time_weights_and_side) {
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

TEST_F(FirstCrossing, both_sides_of_a_still_triangle) {
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
}  // namespace haptic::cloth
