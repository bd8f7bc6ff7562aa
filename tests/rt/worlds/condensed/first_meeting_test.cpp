#include "rt/worlds/condensed/first_meeting.h"

#include <gtest/gtest.h>

#include <random>

namespace haptic::condensed {
namespace {

class Random {
 public:
  Vector3 vector(double size) {
    return size * Vector3(uniform_(engine_), uniform_(engine_), uniform_(engine_));
  }
  double number() { return uniform_(engine_); }

 private:
  std::mt19937_64 engine_{7};
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

Vector3 between(const Vector3& a, const Vector3& b, double t) {
  return (1.0 - t) * a + t * b;
}

/// Height over the plane of the triangle and barycentric weights at time t.
double height(const MovingTriangle& m, const Vector3& p0, const Vector3& p1, double t,
              Vector3& weights) {
  const Vector3 a = between(m.start[0], m.end[0], t), b = between(m.start[1], m.end[1], t),
                c = between(m.start[2], m.end[2], t), p = between(p0, p1, t);
  const Vector3 n = (b - a).cross(c - a);
  weights = {(c - b).cross(p - b).dot(n), (a - c).cross(p - c).dot(n), (b - a).cross(p - a).dot(n)};
  weights /= n.squaredNorm();
  return n.dot(p - a) / n.norm();
}

MovingTriangle still(const Vector3& a, const Vector3& b, const Vector3& c) {
  return {{a, b, c}, {a, b, c}};
}

const MovingTriangle kFloor =
    still({0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0});  // outside is +y

TEST(FirstMeeting, a_point_meets_a_triangle_at_rest_where_it_passes_its_plane) {
  Meeting meeting;
  ASSERT_TRUE(first_meeting(kFloor, {0.2, 0.3, 0.3}, {0.2, -0.1, 0.3}, 0.0, meeting));
  EXPECT_NEAR(meeting.time, 0.75, 1e-14);
  EXPECT_NEAR(meeting.weights[1], 0.3, 1e-14);
  EXPECT_NEAR(meeting.weights[2], 0.2, 1e-14);
  // From inside outwards, beside the triangle, and not as far as the plane.
  EXPECT_FALSE(first_meeting(kFloor, {0.2, -0.1, 0.3}, {0.2, 0.3, 0.3}, 0.0, meeting));
  EXPECT_FALSE(first_meeting(kFloor, {0.8, 0.3, 0.3}, {0.8, -0.1, 0.3}, 0.0, meeting));
  EXPECT_FALSE(first_meeting(kFloor, {0.2, 0.3, 0.3}, {0.2, 0.1, 0.3}, 0.0, meeting));
}

TEST(FirstMeeting, a_triangle_that_rises_meets_a_point_at_rest) {
  MovingTriangle rising = kFloor;
  for (Vector3& corner : rising.end) corner.y() += 2.0;
  Meeting meeting;
  ASSERT_TRUE(first_meeting(rising, {0.2, 0.5, 0.3}, {0.2, 0.5, 0.3}, 0.0, meeting));
  EXPECT_NEAR(meeting.time, 0.25, 1e-14);
}

TEST(FirstMeeting, a_point_a_rounding_inside_passes_at_the_start_only_when_it_moves_inwards) {
  Meeting meeting;
  const Vector3 start(0.2, -1e-9, 0.3);
  EXPECT_FALSE(first_meeting(kFloor, start, {0.2, -0.1, 0.3}, 0.0, meeting));
  ASSERT_TRUE(first_meeting(kFloor, start, {0.2, -0.1, 0.3}, 1e-8, meeting));
  EXPECT_EQ(meeting.time, 0.0);
  EXPECT_FALSE(first_meeting(kFloor, start, {0.2, 0.1, 0.3}, 1e-8, meeting));
  EXPECT_FALSE(first_meeting(kFloor, start, start, 1e-8, meeting));
}

// The crossing of the plane of the triangle from outside that a fine scan finds, if the point is
// inside the triangle then. Crossings within 1e-3 of an edge, and two within one step of the scan,
// are left out: there the scan itself is uncertain.
TEST(FirstMeeting, agrees_with_a_fine_scan_of_random_motions) {
  Random random;
  constexpr int kScan = 4000;
  int met = 0, compared = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    MovingTriangle m;
    for (int k = 0; k < 3; ++k) {
      m.start[k] = random.vector(1.0);
      m.end[k] = m.start[k] + random.vector(0.7);
    }
    const Vector3 p0 = random.vector(0.8), p1 = p0 + random.vector(1.5);
    double expected = 2.0, nearest_edge = 1.0;
    Vector3 weights;
    double before = height(m, p0, p1, 0.0, weights);
    for (int i = 1; i <= kScan && expected > 1.0; ++i) {
      const double now = height(m, p0, p1, static_cast<double>(i) / kScan, weights);
      if (before > 0.0 && now <= 0.0) {
        nearest_edge = std::min(nearest_edge, std::abs(weights.minCoeff()));
        if (weights.minCoeff() >= 0.0) expected = (i - 0.5) / kScan;
      }
      before = now;
    }
    if (nearest_edge < 1e-2) continue;
    ++compared;
    Meeting meeting;
    const bool meets = first_meeting(m, p0, p1, 0.0, meeting);
    ASSERT_EQ(meets, expected <= 1.0) << "trial " << trial;
    if (!meets) continue;
    ++met;
    EXPECT_NEAR(meeting.time, expected, 1.0 / kScan);
    EXPECT_NEAR(height(m, p0, p1, meeting.time, weights), 0.0, 1e-9);
    EXPECT_LT((weights - meeting.weights).norm(), 1e-6);
  }
  EXPECT_GT(met, 60);
  EXPECT_GT(compared, 2500);
}

// A point aimed at the common edge of two triangles, and at their corners, passes neither unseen.
TEST(FirstMeeting, there_is_no_gap_between_neighbours) {
  Random random;
  for (int trial = 0; trial < 2000; ++trial) {
    const Vector3 a = random.vector(1.0), b = random.vector(1.0),
                  lift(0.0, 0.4 * random.number(), 0.0);
    const Vector3 c(2.0, random.number(), 0.3), d(-2.0, random.number(), 0.1);
    const Vector3 normal = (b - a).cross(c - a);
    // Both seen from above.
    MovingTriangle one = still(a, b, c), other = still(b, a, d);
    if (normal.y() < 0.0) one = still(b, a, c), other = still(a, b, d);
    if ((one.start[1] - one.start[0]).cross(one.start[2] - one.start[0]).y() < 0.05) continue;
    if ((other.start[1] - other.start[0]).cross(other.start[2] - other.start[0]).y() < 0.05) {
      continue;
    }
    for (int k = 0; k < 3; ++k) one.end[k] += lift, other.end[k] += lift;
    const Vector3 aim = between(a, b, 0.5 + 0.5 * random.number());
    Meeting meeting;
    EXPECT_TRUE(first_meeting(one, aim + Vector3::UnitY(), aim - Vector3::UnitY(), 0.0, meeting) ||
                first_meeting(other, aim + Vector3::UnitY(), aim - Vector3::UnitY(), 0.0, meeting))
        << "trial " << trial;
  }
}

}  // namespace
}  // namespace haptic::condensed
