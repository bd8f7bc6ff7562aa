#include "rt/worlds/condensed/spread_ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace haptic::condensed {
namespace {

/// 10,000 random points on a plate and in its two faces' neighbourhood.
std::vector<Vector3> plate() {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> along(0.0, 0.1);
  std::vector<Vector3> points;
  for (int i = 0; i < 10'000; ++i)
    points.emplace_back(along(random), 0.02 * (i % 2), along(random));
  return points;
}

TEST(SpreadRanks, are_a_permutation) {
  const std::vector<Vector3> points = plate();
  std::vector<std::uint32_t> ranks = spread_ranks(points);
  std::ranges::sort(ranks);
  for (std::uint32_t i = 0; i < ranks.size(); ++i) ASSERT_EQ(ranks[i], i);
  EXPECT_TRUE(spread_ranks({}).empty());
  EXPECT_EQ(spread_ranks(std::vector<Vector3>{Vector3::Ones()}), std::vector<std::uint32_t>{0});
  const std::vector<Vector3> equal(5, Vector3::Ones());
  EXPECT_EQ(spread_ranks(equal).size(), 5U);
}

/// The first 64 of any square patch leave no place of it further from a kept point than 2.5
/// spacings of a regular grid of 64; a clump of 64 would leave a hole of half the patch.
TEST(SpreadRanks, the_first_of_any_patch_cover_it) {
  const std::vector<Vector3> points = plate();
  const std::vector<std::uint32_t> ranks = spread_ranks(points);
  std::mt19937 random(6);
  for (const double side : {0.02, 0.035, 0.06}) {
    std::uniform_real_distribution<double> corner(0.0, 0.1 - side);
    for (int trial = 0; trial < 50; ++trial) {
      const double x = corner(random), z = corner(random);
      std::vector<std::uint32_t> inside;
      for (std::uint32_t i = 0; i < points.size(); ++i) {
        const Vector3& p = points[i];
        if (p.y() == 0.0 && p.x() > x && p.x() < x + side && p.z() > z && p.z() < z + side) {
          inside.push_back(i);
        }
      }
      std::ranges::sort(inside, {}, [&](std::uint32_t i) { return ranks[i]; });
      ASSERT_GT(inside.size(), 100U);
      double hole = 0.0;
      for (const std::uint32_t i : inside) {
        double nearest = side;
        for (std::size_t k = 0; k < 64; ++k) {
          nearest = std::min(nearest, (points[inside[k]] - points[i]).norm());
        }
        hole = std::max(hole, nearest);
      }
      EXPECT_LT(hole, 2.5 * side / 8.0) << side;
    }
  }
}

}  // namespace
}  // namespace haptic::condensed
