#include "rt/coupling/held_response.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "rt/coupling/hand_coupling.h"
#include "tests/rt/coupling/random_poses.h"

namespace haptic {
namespace {

/// One contact that presses upwards on a body on a spring of 400 N/m with 0.8 N; the obstacle gives
/// way by 1/400 m/N, so that each makes half of a motion.
HeldResponse on_a_cushion(double friction) {
  HeldResponse response;
  response.free = Matrix6::Identity();
  response.contact.diagonal().head<3>() = Vector3(-0.5, -0.5, -0.5);
  response.pushed[1] = 2e-3;
  response.release[1] = -250.0;  // the pressure of 0.8 N falls by 200 N/m
  response.reach = std::hypot(1.0, friction) * 2e-3;
  response.max_motion = response.max_rotation = 1.0;
  return response;
}
Pose at(const Vector3& position) {
  Pose pose;
  pose.position = position;
  return pose;
}
Vector6 along(double x, double y) {
  Vector6 d = Vector6::Zero();
  d[0] = x, d[1] = y;
  return d;
}
/// What contact adds to the motion, over that of the step's contact: force over the step's
/// pressure.
Vector3 force(const HeldResponse& response, const Vector6& d) {
  const Vector6 y = response.motion(d) - d + response.pushed;
  return y.head<3>() / 2e-3;
}

TEST(HeldResponse, without_one_the_body_stays_to_the_last_bit) {
  RandomPoses random(4);
  HandCoupling law;
  law.grasp = Grasp({0.1, 0.2, -0.3});
  for (int i = 0; i < 20; ++i) {
    const Pose held{random.direction(), rotation_exponential(random.direction())};
    const Pose shown = law.held(at(random.direction()), at(random.direction()), held);
    EXPECT_EQ(shown.position, held.position);
    EXPECT_EQ(shown.orientation.coeffs(), held.orientation.coeffs());
  }
}

// A step that ends before it has converged may leave a wrench beyond the limit of friction: here
// 500 times, with a pressure that a motion of 1 mm multiplies by 1000. Unlimited, the body went 1
// m.
TEST(HeldResponse, a_wrench_beyond_the_limit_of_friction_counts_up_to_it) {
  HeldResponse response = on_a_cushion(0.5);
  response.reach = 2e-6;
  response.pushed << 1e-3, 2e-4, 0.0, 0.0, 0.0, 0.0;
  response.release[1] = -1e6;
  EXPECT_EQ(response.motion(Vector6::Zero()), Vector6::Zero());
  for (const double y : {-1e-3, -1e-4, 1e-4}) {
    const double pressure = std::max(0.0, 1.0 - 1e6 * y);
    const Vector6 z = response.motion(along(0.0, y));
    EXPECT_LE((z - along(0.0, y)).norm(), (pressure + 1.0) * response.reach * (1.0 + 1e-12)) << y;
  }
}

// The arm joins both limits: nothing of the body goes farther than max_motion.
TEST(HeldResponse, rotations_count_in_the_limit_of_motion_by_their_arm) {
  HeldResponse response;
  response.free = Matrix6::Identity();
  response.max_motion = 1e-3;
  response.max_rotation = 1.0;
  response.arm = 0.02;
  Vector6 d = Vector6::Zero();
  d[5] = 0.1;
  EXPECT_NEAR(response.motion(d)[5], 0.05, 1e-15);
  d[0] = 5e-3;
  const Vector6 z = response.motion(d);
  EXPECT_NEAR(z.head<3>().norm() + 0.02 * z.tail<3>().norm(), 1e-3, 1e-15);
}

TEST(HeldResponse, what_is_late_is_the_way_of_the_delayed_pose) {
  HandCoupling law;
  law.response = on_a_cushion(0.5);
  law.response.late << 0.2, 0.2, 0.2, 0.0, 0.0, 0.0;
  const Pose held = law.held(at({0.0, -1e-3, 0.0}), at({-1e-4, -6e-4, 0.0}), Pose{});
  const Vector6 d = along(-0.2e-4, -0.92e-3);  // four fifths of one, a fifth of the other
  EXPECT_LT((held.position - law.response.motion(d).head<3>()).norm(), 1e-15);
}

TEST(HeldResponse, presses_with_the_series_and_lets_go_without_pulling) {
  const HeldResponse response = on_a_cushion(0.5);
  for (const double y : {-3e-3, -1e-3, 0.0, 1e-3, 3e-3}) {
    EXPECT_NEAR(response.motion(along(0.0, y))[1], 0.5 * y, 1e-15);
    EXPECT_NEAR(force(response, along(0.0, y)).y(), 1.0 - 250.0 * y, 1e-12);
  }
  // 4 mm up the force is zero, and from there on the body goes with the hand.
  for (const double y : {4e-3, 5e-3, 0.1}) {
    EXPECT_NEAR(response.motion(along(0.0, y))[1], y - 2e-3, 1e-15);
    EXPECT_NEAR(force(response, along(0.3e-3, y)).norm(), 0.0, 1e-12);
  }
}

TEST(HeldResponse, sticks_inside_the_friction_cone_and_holds_with_no_more) {
  const HeldResponse response = on_a_cushion(0.5);
  for (double x = -0.02; x <= 0.02; x += 1e-4) {
    for (double y = -4e-3; y <= 6e-3; y += 1e-3) {
      const Vector3 f = force(response, along(x, y));
      const double pressure = std::max(0.0, 1.0 - 250.0 * y);
      ASSERT_NEAR(f.y(), pressure, 1e-12);
      ASSERT_LE(std::abs(f.x()), 0.5 * pressure + 1e-7);
      // Where contact presses on, it sticks up to the limit.
      if (y <= 0.0) {
        ASSERT_NEAR(f.x(), std::clamp(-250.0 * x, -0.5 * pressure, 0.5 * pressure), 1e-7);
      }
    }
  }
}

// No jump anywhere: along a line through stick, slip and release the force changes by no more than
// the spring itself would, 400 N/m over 0.8 N, times the 1 um of a step.
TEST(HeldResponse, the_force_is_continuous) {
  const HeldResponse response = on_a_cushion(0.5);
  RandomPoses random(5);
  for (int line = 0; line < 20; ++line) {
    const Vector3 way = random.direction();
    Vector3 last = force(response, along(-0.01 * way.x(), -0.01 * way.y()));
    for (int i = -9999; i <= 10000; ++i) {
      const Vector3 now = force(response, along(1e-6 * i * way.x(), 1e-6 * i * way.y()));
      // The square root of the cone is steep where the pressure ends.
      ASSERT_LE((now - last).norm(), 3.0 * 500.0 * 1e-6) << i;
      last = now;
    }
  }
}

TEST(HeldResponse, moves_by_no_more_than_its_limits_and_about_the_grasp) {
  HandCoupling law;
  law.grasp = Grasp({0.0, 0.0, 0.1});
  law.response.free = Matrix6::Identity();
  law.response.max_motion = 1e-3;
  law.response.max_rotation = 0.01;
  const Pose held = at({0.0, 0.2, 0.0});
  const Pose moved = law.held(at({0.0, 0.0, 0.5}), at({0.0, 0.0, 0.5}), held);
  EXPECT_NEAR((moved.position - held.position).norm(), 1e-3, 1e-15);
  const Pose about_grasp{{0.0, 0.0, 0.1}, rotation_exponential({0.3, 0.0, 0.0})};
  const Pose turned = law.held(law.grasp.body(about_grasp), law.grasp.body(about_grasp), held);
  EXPECT_NEAR(turned.orientation.angularDistance(held.orientation), 0.01, 1e-9);
  EXPECT_LE((law.grasp.frame(turned).position - law.grasp.frame(held).position).norm(), 1e-15);
}

TEST(HeldResponse, a_value_that_is_not_finite_is_not_hidden) {
  HandCoupling law;
  law.response = on_a_cushion(0.5);
  law.response.contact(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(is_finite(law.held(at({1e-3, 0.0, 0.0}), at({1e-3, 0.0, 0.0}), Pose{})));
}

}  // namespace
}  // namespace haptic
