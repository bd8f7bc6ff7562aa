#include "host/sampling/farthest_point.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <random>

namespace haptic {
namespace {

/// The definition, by comparing all distances.
std::vector<std::uint32_t> brute_force(const std::vector<Vector3>& points, std::size_t count,
                                       std::uint32_t seed) {
  std::vector<double> distance(points.size(), std::numeric_limits<double>::infinity());
  std::vector<bool> taken(points.size(), false);
  std::vector<std::uint32_t> order;
  std::uint32_t next = seed;
  while (order.size() < count) {
    order.push_back(next);
    taken[next] = true;
    for (std::size_t i = 0; i < points.size(); ++i) {
      distance[i] = std::min(distance[i], (points[i] - points[next]).squaredNorm());
    }
    double farthest = -1.0;
    for (std::uint32_t i = 0; i < points.size(); ++i) {
      if (!taken[i] && distance[i] > farthest) {
        farthest = distance[i];
        next = i;
      }
    }
  }
  return order;
}

TEST(FarthestPoint, order_equals_brute_force) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (const std::size_t n : {1U, 2U, 3U, 10U, 500U, 2000U}) {
    std::vector<Vector3> sphere;
    std::vector<Vector3> flat;
    for (std::size_t i = 0; i < n; ++i) {
      const Vector3 p(normal(random), normal(random), normal(random));
      sphere.push_back(0.1 * p.normalized());
      flat.emplace_back(p.x(), 100.0 * p.y(), 0.0);
    }
    EXPECT_EQ(farthest_point_order(sphere, n), brute_force(sphere, n, 0));
    const auto seed = static_cast<std::uint32_t>(n / 2);
    EXPECT_EQ(farthest_point_order(flat, n, seed), brute_force(flat, n, seed));
  }
}

RC_GTEST_PROP(FarthestPoint, ties_and_repeated_points_go_to_the_lowest_index, ()) {
  // Small integer coordinates: many exactly equal distances and points.
  const auto n = *rc::gen::inRange<std::size_t>(1, 150);
  const auto side = *rc::gen::inRange(1, 8);
  std::vector<Vector3> points;
  for (std::size_t i = 0; i < n; ++i) {
    points.emplace_back(*rc::gen::inRange(0, side), *rc::gen::inRange(0, side),
                        *rc::gen::inRange(0, side));
  }
  const auto seed = *rc::gen::inRange<std::uint32_t>(0, static_cast<std::uint32_t>(n));
  const auto count = *rc::gen::inRange<std::size_t>(0, n + 1);
  RC_ASSERT(farthest_point_order(points, count, seed) == brute_force(points, count, seed));
}

}  // namespace
}  // namespace haptic
