// Edges of a box against segments: against the closed form of two lines.
#include "rt/worlds/condensed/edge_meeting.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/oracle/field_scene.h"
#include "rt/geometry/analytic_field.h"

namespace haptic::condensed {
namespace {

using oracle::Random;

const Vector3 kSides(0.02, 0.03, 0.04);

/// A segment across an edge of the box, and where the two lines are nearest to each other.
struct Crossing {
  Vector3 a, b;
  double along, gap;  ///< of the point on the segment; positive outside
  Vector3 push;
};

/// @param slant  least part of the push along each face's normal
Crossing random_crossing(Random& random, double length, double gap, double slant) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (;;) {
    const auto axis = static_cast<Eigen::Index>(3.0 * unit(random));
    Vector3 first = Vector3::Zero(), second = Vector3::Zero(), place = Vector3::Zero();
    first[(axis + 1) % 3] = unit(random) < 0.5 ? -1.0 : 1.0;
    second[(axis + 2) % 3] = unit(random) < 0.5 ? -1.0 : 1.0;
    place = 0.5 * kSides.cwiseProduct(first + second);
    place[axis] = kSides[axis] * 0.4 * (unit(random) - 0.5);
    const Vector3 way = oracle::random_direction(random);
    if (std::abs(way[axis]) > 0.8) continue;
    Vector3 push = Vector3::Unit(axis).cross(way).normalized();
    if (push.dot(first) < 0.0) push = -push;
    if (push.dot(first) < slant || push.dot(second) < slant) continue;
    Crossing crossing{{}, {}, 0.35 + 0.3 * unit(random), gap, push};
    const Vector3 met = place + gap * push;
    crossing.a = met - crossing.along * length * way;
    crossing.b = crossing.a + length * way;
    return crossing;
  }
}

// Inside, the field of a box has its two directions up to the edge; outside it turns about it.
TEST(EdgeMeetingTest, is_that_of_the_two_lines) {
  const AnalyticField box({ShapeKind::kBox, {kSides.x(), kSides.y(), kSides.z()}});
  Random random(44);
  for (int i = 0; i < 2000; ++i) {
    const double gap = 1e-5 * (i % 61 - 40);
    const Crossing crossing = random_crossing(random, 4e-3, gap, 0.3);
    const auto met = edge_meeting(box, crossing.a, crossing.b, 1e-3);
    ASSERT_TRUE(met) << i;
    EXPECT_NEAR(met->gap, gap, 1e-12) << i;
    EXPECT_LT((met->push - crossing.push).norm(), 1e-9) << i;
    // Outside, the field turns about the edge and is least a part of the gap from there.
    const Vector3 way = crossing.b - crossing.a;
    const double deepest = box.distance(crossing.a + met->along * way);
    for (int k = 0; k <= 100; ++k) {
      EXPECT_GT(box.distance(crossing.a + 0.01 * k * way), deepest - (gap > 0.0 ? 0.2 * gap : 1e-9))
          << i;
    }
    EXPECT_FALSE(edge_meeting(box, crossing.a, crossing.b, 0.99 * gap - 1e-3)) << i;
  }
}

// Of samples the edge is round within a voxel, and the place of the lines is known as well as that.
TEST(EdgeMeetingTest, in_a_sampled_field_is_that_within_a_voxel) {
  const double side = 0.06, voxel = side / 128.0;
  const oracle::FieldData data = oracle::sample_field(
      [](const Vector3& p) { return oracle::box_distance(p, 0.5 * kSides); }, 128, side);
  const DistanceField box = data.view();
  Random random(45);
  for (int i = 0; i < 500; ++i) {
    const double gap = 1e-5 * (i % 61 - 40);
    const Crossing crossing = random_crossing(random, 4e-3, gap, 0.5);
    const auto met = edge_meeting(box, crossing.a, crossing.b, 1e-3);
    ASSERT_TRUE(met) << i;
    EXPECT_NEAR(met->gap, gap, 0.5 * voxel) << i;
    const Vector3 way = crossing.b - crossing.a;
    const double deepest = box.distance_and_gradient(crossing.a + met->along * way).distance;
    for (int k = 0; k <= 100; ++k) {
      const Vector3 p = crossing.a + 0.01 * k * way;
      EXPECT_GT(box.distance_and_gradient(p).distance, deepest - 5e-2 * voxel) << i;
    }
    EXPECT_LT((met->push - crossing.push).norm(), 0.3) << i;
  }
}

TEST(EdgeMeetingTest, is_none_with_a_round_tool_nor_through_a_plate_nor_beyond_the_ends) {
  const double radius = 0.01;
  const AnalyticField ball({ShapeKind::kSphere, {radius, 0.0, 0.0}});
  Random random(46);
  for (int i = 0; i < 2000; ++i) {
    const Vector3 place = radius * oracle::random_direction(random);
    const Vector3 way = oracle::random_direction(random).cross(place).normalized();
    const Vector3 a = place - 0.25 * radius * way, b = place + 0.25 * radius * way;
    EXPECT_FALSE(edge_meeting(ball, a, b, 1e-3));
    EXPECT_FALSE(edge_meeting(ball, place - 0.9 * radius * way, place + 0.9 * radius * way, 1e-3));
  }
  const AnalyticField plate({ShapeKind::kBox, {0.05, 0.002, 0.05}});
  EXPECT_FALSE(edge_meeting(plate, {0.001, -0.004, 0.0}, {-0.001, 0.005, 0.002}, 1e-3));
  const AnalyticField box({ShapeKind::kBox, {kSides.x(), kSides.y(), kSides.z()}});
  for (int i = 0; i < 500; ++i) {
    const Crossing crossing = random_crossing(random, 4e-3, -1e-4, 0.3);
    const auto met = edge_meeting(box, crossing.a, crossing.b, 1e-3);
    ASSERT_TRUE(met);
    const Vector3 place = crossing.a + met->along * (crossing.b - crossing.a);
    EXPECT_FALSE(edge_meeting(box, crossing.a, place + 1e-3 * (crossing.a - place), 1e-3)) << i;
    EXPECT_FALSE(edge_meeting(box, place + 1e-3 * (crossing.b - place), crossing.b, 1e-3)) << i;
  }
}

}  // namespace
}  // namespace haptic::condensed
