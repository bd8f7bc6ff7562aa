#include "rt/geometry/moving_triangle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace haptic {
namespace {

class MovingTriangles : public ::testing::Test {
 protected:
  Vector3 vector() { return {uniform_(random_), uniform_(random_), uniform_(random_)}; }
  MovingTriangle triangle() {
    return {{vector(), vector(), vector()}, {vector(), vector(), vector()}};
  }
  static Vector3 at(const Vector3& start, const Vector3& end, double t) {
    return (1.0 - t) * start + t * end;
  }

  std::mt19937 random_{5};
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

TEST_F(MovingTriangles, the_volume_is_the_determinant_at_any_time_and_monotonic_between_turns) {
  int with_two_turns = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const MovingTriangle t = triangle();
    const Vector3 start = vector(), end = vector();
    const PassingVolume volume(t, start, end);
    for (const double time : {0.0, 0.3, 0.7, 1.0}) {
      const Vector3 a = at(t.start[0], t.end[0], time), b = at(t.start[1], t.end[1], time),
                    c = at(t.start[2], t.end[2], time), p = at(start, end, time);
      EXPECT_NEAR(volume.at(time), (b - a).cross(c - a).dot(p - a), 1e-13);
    }
    double turns[2];
    const int count = volume.turns(turns);
    with_two_turns += count == 2;
    double low = 0.0;
    for (int i = 0; i <= count; ++i) {
      const double high = i < count ? turns[i] : 1.0;
      EXPECT_GT(high, low);
      const double sign = volume.at(high) > volume.at(low) ? 1.0 : -1.0;
      for (int k = 0; k < 20; ++k) {
        const double from = low + (high - low) * k / 20.0, to = low + (high - low) * (k + 1) / 20.0;
        EXPECT_GE(sign * (volume.at(to) - volume.at(from)), -1e-14) << trial;
      }
      low = high;
    }
  }
  EXPECT_GT(with_two_turns, 10);
}

TEST_F(MovingTriangles, the_root_is_found_from_either_side) {
  // A point that passes a still triangle at 3/4 of its way, and a triangle that passes a point.
  const MovingTriangle still{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  const Vector3 above(0.25, 0.25, 3.0), below(0.25, 0.25, -1.0);
  EXPECT_NEAR(PassingVolume(still, above, below).root(0.0, 1.0, 1.0), 0.75, 1e-15);
  EXPECT_NEAR(PassingVolume(still, below, above).root(0.0, 1.0, -1.0), 0.25, 1e-15);
}

TEST_F(MovingTriangles, a_point_is_inside_with_the_weights_that_give_it) {
  for (int trial = 0; trial < 500; ++trial) {
    const MovingTriangle t = triangle();
    const double time = 0.5 * (1.0 + uniform_(random_));
    Vector3 w = vector().cwiseAbs();
    w /= w.sum();
    const auto corner = [&](int k) { return at(t.start[k], t.end[k], time); };
    const Vector3 inside = w[0] * corner(0) + w[1] * corner(1) + w[2] * corner(2);
    const Vector3 across = (corner(1) - corner(0)).cross(corner(2) - corner(0));
    Vector3 weights;
    // Beside the plane, too: the projection counts. Thin triangles lose digits.
    ASSERT_TRUE(weights_inside(t, inside + across, inside + across, time, weights));
    EXPECT_LE((weights - w).norm(), 1e-9 / across.norm());
    const Vector3 outside = inside + 1.1 * w[0] * (corner(1) - corner(0));
    EXPECT_FALSE(weights_inside(t, outside, outside, time, weights));
  }
}

TEST_F(MovingTriangles, neighbours_leave_no_gap_and_a_line_has_no_inside) {
  const MovingTriangle one{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
  Vector3 weights;
  const Vector3 beside(0.5, -1e-10, 1.0), apart(0.5, -1e-8, 1.0);
  ASSERT_TRUE(weights_inside(one, beside, beside, 0.5, weights));
  EXPECT_EQ(weights[2], 0.0);
  EXPECT_NEAR(weights.sum(), 1.0, 1e-15);
  EXPECT_FALSE(weights_inside(one, apart, apart, 0.5, weights));
  const MovingTriangle line{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}};
  EXPECT_FALSE(weights_inside(line, beside, beside, 0.5, weights));
}

}  // namespace
}  // namespace haptic
