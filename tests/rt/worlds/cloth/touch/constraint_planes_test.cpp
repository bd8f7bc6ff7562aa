#include "rt/worlds/cloth/touch/constraint_planes.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

constexpr double kTolerance = 1e-13;

/// The best feasible foot of p on 0 to 3 of the planes, whatever its multipliers: the objective is
/// convex, so this is the minimum.
bool brute_force(const std::vector<HalfSpace>& planes, const Vector3& p, Vector3& best) {
  const std::size_t n = planes.size();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t mask = 0; mask < (std::size_t{1} << n); ++mask) {
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < n; ++i) {
      if (mask >> i & 1u) active.push_back(i);
    }
    if (active.size() > 3) continue;
    Vector3 x = p;
    if (!active.empty()) {
      const auto k = static_cast<Eigen::Index>(active.size());
      Eigen::MatrixXd N(3, k);
      Eigen::VectorXd d(k);
      for (Eigen::Index i = 0; i < k; ++i) {
        N.col(i) = planes[active[static_cast<std::size_t>(i)]].normal;
        d[i] = planes[active[static_cast<std::size_t>(i)]].offset;
      }
      const Eigen::MatrixXd gram = N.transpose() * N;
      if (std::abs(gram.determinant()) < 1e-12) continue;
      x = p - N * gram.fullPivLu().solve(N.transpose() * p - d);
    }
    bool feasible = true;
    for (const HalfSpace& plane : planes) feasible &= plane.normal.dot(x) >= plane.offset - 1e-10;
    if (feasible && (x - p).norm() < least) {
      least = (x - p).norm();
      best = x;
    }
  }
  return std::isfinite(least);
}

TEST(ConstraintPlanes, a_plane_holds_the_device_at_its_foot) {
  const HalfSpace floor[] = {{Vector3::UnitZ(), 0.0}};
  NearestPoint held;
  ASSERT_TRUE(nearest_point(floor, {0.3, 0.7, -0.01}, kTolerance, held));
  EXPECT_LT((held.point - Vector3(0.3, 0.7, 0.0)).norm(), 1e-12);
  EXPECT_NEAR(held.lambda[0], -0.01, 1e-15);
  EXPECT_NEAR(500.0 * (held.point - Vector3(0.3, 0.7, -0.01)).norm(), 5.0, 1e-12);
  // Above it, the device itself.
  ASSERT_TRUE(nearest_point(floor, {0.3, 0.7, 0.01}, kTolerance, held));
  EXPECT_EQ(held.point, Vector3(0.3, 0.7, 0.01));
  EXPECT_EQ(held.count, 0u);
}

TEST(ConstraintPlanes, a_groove_of_two_planes) {
  const double s = std::sqrt(0.5);
  const HalfSpace groove[] = {{{s, 0.0, s}, 0.0}, {{-s, 0.0, s}, 0.0}};
  NearestPoint held;
  ASSERT_TRUE(nearest_point(groove, {0.3, 0.7, -1.0}, kTolerance, held));
  EXPECT_LT((held.point - Vector3(0.0, 0.7, 0.0)).norm(), 1e-12);
  ASSERT_EQ(held.count, 2u);
  EXPECT_LT(held.lambda[0], 0.0);
  EXPECT_LT(held.lambda[1], 0.0);
}

TEST(ConstraintPlanes, a_corner_of_three_planes) {
  const HalfSpace corner[] = {
      {Vector3::UnitX(), 1.0}, {Vector3::UnitY(), -2.0}, {Vector3::UnitZ(), 0.5}};
  NearestPoint held;
  ASSERT_TRUE(nearest_point(corner, {0.5, -3.0, 0.0}, kTolerance, held));
  EXPECT_LT((held.point - Vector3(1.0, -2.0, 0.5)).norm(), 1e-12);
  ASSERT_EQ(held.count, 3u);
  for (const double lambda : held.lambda) EXPECT_LT(lambda, 0.0);
}

TEST(ConstraintPlanes, random_planes_agree_with_every_subset_tried) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  int held_by[4] = {};
  for (int trial = 0; trial < 4000; ++trial) {
    // All of them allow a common point, as those at a god-object do.
    const Vector3 common(normal(random), normal(random), normal(random));
    std::vector<HalfSpace> planes(1 + static_cast<std::size_t>(trial) % 9);
    for (HalfSpace& plane : planes) {
      plane.normal = Vector3(normal(random), normal(random), normal(random)).normalized();
      plane.offset = plane.normal.dot(common) - 0.05 * std::abs(normal(random));
    }
    const Vector3 p = common + Vector3(normal(random), normal(random), normal(random));
    Vector3 best;
    ASSERT_TRUE(brute_force(planes, p, best));
    NearestPoint held;
    {
      NoAllocation guard;
      ASSERT_TRUE(nearest_point(planes, p, 1e-12, held)) << trial;
    }
    // Planes whose normals meet at 1e-3 lose three digits of 1e-15.
    EXPECT_LT((held.point - best).norm(), 1e-10) << trial;
    Vector3 sum = p;
    for (std::size_t i = 0; i < held.count; ++i) {
      EXPECT_LE(held.lambda[i], 0.0);
      sum -= held.lambda[i] * planes[held.active[i]].normal;
    }
    EXPECT_LT((sum - held.point).norm(), 1e-10) << trial;
    ++held_by[held.count];
  }
  for (const int count : held_by) EXPECT_GT(count, 100);
}

TEST(ConstraintPlanes, the_same_plane_twice_and_nearly_twice_is_one) {
  const double tilt = 1e-13;
  const HalfSpace planes[] = {{Vector3::UnitZ(), 0.0},
                              {Vector3::UnitZ(), 0.0},
                              {Vector3(tilt, 0.0, 1.0).normalized(), 0.0}};
  NearestPoint held;
  ASSERT_TRUE(nearest_point(planes, {0.1, 0.2, -1.0}, 1e-12, held));
  EXPECT_EQ(held.count, 1u);
  EXPECT_LT((held.point - Vector3(0.1, 0.2, 0.0)).norm(), 1e-12);
}

TEST(ConstraintPlanes, half_spaces_without_a_common_point_have_no_nearest) {
  const HalfSpace apart[] = {{Vector3::UnitZ(), 0.1}, {-Vector3::UnitZ(), 0.1}};
  NearestPoint held;
  EXPECT_FALSE(nearest_point(apart, {0.0, 0.0, 1.0}, kTolerance, held));
}

}  // namespace
}  // namespace haptic::cloth
