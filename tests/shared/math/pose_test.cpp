#include "shared/math/pose.h"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>
#include <random>

namespace haptic {
namespace {

Vector3 random_direction(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Vector3(normal(random), normal(random), normal(random)).normalized();
}

TEST(Pose, rotated_is_the_product_of_quaternion_and_vector) {
  std::mt19937 random(2);
  for (int i = 0; i < 1000; ++i) {
    const Quaternion q = rotation_exponential(3.0 * random_direction(random));
    const Vector3 v = 5.0 * random_direction(random);
    const Pose pose{10.0 * random_direction(random), q};
    // Roundings of coordinates up to 15, of 1e-15 each; contraction to fused operations may differ.
    EXPECT_LE((rotated(q, v) - q * v).norm(), 4e-15);
    EXPECT_LE((pose.to_world(v) - (q * v + pose.position)).norm(), 8e-15);
    EXPECT_LE((pose.to_material(pose.to_world(v)) - v).norm(), 3e-14);
    EXPECT_LE((skew(v) * pose.position - v.cross(pose.position)).norm(), 1e-13);
  }
  EXPECT_EQ(Pose().position, Vector3::Zero());
  EXPECT_EQ(Pose().orientation.coeffs(), Quaternion::Identity().coeffs());
}

TEST(Pose, smallest_rotation_turns_one_direction_to_the_other_by_the_angle_between_them) {
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    const Vector3 from = random_direction(random), to = random_direction(random);
    const Quaternion q = smallest_rotation(2.0 * from, 0.3 * to);
    EXPECT_NEAR(q.norm(), 1.0, 1e-15);
    // The angle's error is 1e-16 over the sine of half the angle from opposite: 1e-3 in 1,000.
    EXPECT_LE((q * from - to).norm(), 1e-13);
    EXPECT_NEAR(2.0 * std::acos(q.w()), std::acos(from.dot(to)), 1e-7);
  }
}

TEST(Pose, smallest_rotation_of_opposite_directions_is_half_a_turn) {
  std::mt19937 random(4);
  for (const double off : {0.0, 1e-16, 1e-9, 1e-8, 1e-7, 1e-5, 1e-3}) {
    for (int i = 0; i < 100; ++i) {
      const Vector3 from = random_direction(random);
      const Vector3 to = -from + off * from.unitOrthogonal();
      const Quaternion q = smallest_rotation(from, to);
      EXPECT_NEAR(q.norm(), 1.0, 1e-15);
      // Below 4e-8 rad from opposite, the rotation about any axis across is taken.
      EXPECT_LE((q * from - to.normalized()).norm(), 1e-7) << off;
      EXPECT_NEAR(q.w(), 0.5 * off, 5e-8) << off;
    }
  }
}

TEST(Pose, rotation_logarithm_is_the_inverse_of_the_exponential) {
  std::mt19937 random(5);
  for (const double angle : {0.0, 1e-14, 1e-9, 1e-3, 1.0, 3.0, std::numbers::pi - 1e-6}) {
    const Vector3 v = angle * random_direction(random);
    EXPECT_LE((rotation_logarithm(rotation_exponential(v)) - v).norm(), 1e-14 + 4e-16 * angle);
  }
  // More than half a turn: the shorter way.
  const Vector3 axis = random_direction(random);
  EXPECT_LE(
      (rotation_logarithm(rotation_exponential(4.0 * axis)) - (4.0 - 2.0 * std::numbers::pi) * axis)
          .norm(),
      1e-14);
}

TEST(Pose, interpolated_is_exact_at_the_ends_and_half_way_in_the_middle) {
  const Pose from{{1.0, 2.0, 3.0}, rotation_exponential({0.2, 0.0, 0.0})};
  const Pose to{{3.0, 0.0, 3.0}, rotation_exponential({1.0, 0.0, 0.0})};
  EXPECT_EQ(interpolated(from, to, 0.0).position, from.position);
  EXPECT_EQ(interpolated(from, to, 1.0).orientation.coeffs(), to.orientation.coeffs());
  const Pose middle = interpolated(from, to, 0.5);
  EXPECT_LE((middle.position - Vector3(2.0, 1.0, 3.0)).norm(), 1e-15);
  EXPECT_LE((rotation_logarithm(middle.orientation) - Vector3(0.6, 0.0, 0.0)).norm(), 1e-15);
}

TEST(Pose, is_finite_sees_every_component) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(is_finite(Pose{}));
  EXPECT_TRUE(is_finite(Wrench{}));
  for (const double value : {nan, infinite, -infinite}) {
    for (int i = 0; i < 3; ++i) {
      Pose pose;
      pose.position[i] = value;
      EXPECT_FALSE(is_finite(pose));
      Wrench force, torque;
      force.force[i] = torque.torque[i] = value;
      EXPECT_FALSE(is_finite(force));
      EXPECT_FALSE(is_finite(torque));
    }
    for (int i = 0; i < 4; ++i) {
      Pose pose;
      pose.orientation.coeffs()[i] = value;
      EXPECT_FALSE(is_finite(pose));
    }
  }
}

}  // namespace
}  // namespace haptic
