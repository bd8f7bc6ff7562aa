#include "rt/worlds/cloth/collision/feature_pair.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace haptic::cloth {
namespace {

using Kind = FeaturePair::Kind;

class RandomPairs : public testing::TestWithParam<Kind> {
 protected:
  PairVectors vectors(double size = 1.0) {
    PairVectors v;
    for (Vector3& one : v)
      one = size * Vector3(normal_(random_), normal_(random_), normal_(random_));
    return v;
  }

  std::mt19937 random_{11};
  std::normal_distribution<double> normal_;
};

/// Least distance over a lattice of points of both features.
double sampled(Kind kind, const PairVectors& x, int n) {
  double least = HUGE_VAL;
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) {
      const double s = static_cast<double>(i) / n, t = static_cast<double>(j) / n;
      const Vector3 apart =
          kind == Kind::kEdges
              ? Vector3((1.0 - s) * x[0] + s * x[1] - (1.0 - t) * x[2] - t * x[3])
              : Vector3(x[0] - (1.0 - s) * x[1] - s * ((1.0 - t) * x[2] + t * x[3]));
      least = std::min(least, apart.norm());
    }
  }
  return least;
}

TEST_P(RandomPairs, distances_are_those_of_sampled_points) {
  for (int k = 0; k < 200; ++k) {
    const PairVectors x = vectors();
    const PairDistance d = distance_between(GetParam(), x);
    const double reference = sampled(GetParam(), x, 100);
    ASSERT_LE(d.distance, reference + 1e-14);
    ASSERT_GT(d.distance, reference - 0.05);  // the lattice is 100 times finer than the features
    ASSERT_LT((difference(d.weights, x) - d.distance * d.normal).norm(), 1e-13);
    const bool edges = GetParam() == Kind::kEdges;
    const double first = d.weights[0] + (edges ? d.weights[1] : 0.0);
    ASSERT_NEAR(first, 1.0, 1e-14);
    ASSERT_NEAR(d.weights[0] + d.weights[1] + d.weights[2] + d.weights[3], 0.0, 1e-14);
  }
}

TEST_P(RandomPairs, what_is_farther_along_a_line_is_farther) {
  int count = 0;
  for (int k = 0; k < 2000; ++k) {
    const PairVectors x = vectors();
    const double distance = distance_between(GetParam(), x).distance;
    ASSERT_FALSE(is_farther(GetParam(), x, distance * (1.0 + 1e-12)));
    count += is_farther(GetParam(), x, 0.5 * distance) ? 1 : 0;
  }
  EXPECT_GT(count, 1000);
}

TEST_P(RandomPairs, no_pair_that_comes_near_is_missed) {
  int near = 0, free = 0, unfinished = 0;
  std::size_t measured = 0;
  for (int k = 0; k < 4000; ++k) {
    const PairVectors x = vectors(), moves = vectors(k % 2 == 0 ? 1.0 : 0.2);
    const double start = distance_between(GetParam(), x).distance, gap = 0.1 * start;
    PairDistance met;
    const bool may = may_come_near(GetParam(), x, moves, start, gap, 0.01 * start, met, measured);
    double least = HUGE_VAL;
    for (int i = 0; i <= 400; ++i) {
      PairVectors then;
      for (std::size_t p = 0; p < 4; ++p) then[p] = x[p] + i / 400.0 * moves[p];
      least = std::min(least, distance_between(GetParam(), then).distance);
    }
    if (least < gap) {
      ASSERT_TRUE(may);
      ++near;
    }
    if (!may) {
      ++free;
    } else if (met.distance <= gap + 0.01 * start) {
      ASSERT_GE(met.distance, gap * (1.0 - 1e-9));
    } else {
      ++unfinished;
    }
  }
  EXPECT_GT(near, 100);
  EXPECT_GT(free, 1000);
  // Motions as long as the features, where the bound of the advances is met; it errs to be safe.
  EXPECT_LT(unfinished, 400);
  EXPECT_LE(measured, std::size_t{40} * 4000);
}

INSTANTIATE_TEST_SUITE_P(Kinds, RandomPairs, testing::Values(Kind::kVertexTriangle, Kind::kEdges));

TEST(FeaturePairs, features_without_extent_have_distances) {
  const Vector3 o = Vector3::Zero(), p(1.0, 2.0, 2.0);
  EXPECT_NEAR(distance_between(Kind::kEdges, {p, p, o, o}).distance, 3.0, 1e-15);
  EXPECT_NEAR(distance_between(Kind::kEdges, {p, p, o, {0.0, 0.0, 4.0}}).distance, std::sqrt(5.0),
              1e-15);
  EXPECT_NEAR(distance_between(Kind::kEdges, {o, {0.0, 0.0, 4.0}, p, p}).distance, std::sqrt(5.0),
              1e-15);
  EXPECT_NEAR(distance_between(Kind::kVertexTriangle, {p, o, o, o}).distance, 3.0, 1e-15);
  // Parallel edges, one beside the other and one behind it.
  const Vector3 x(1.0, 0.0, 0.0), y(0.0, 1.0, 0.0);
  EXPECT_NEAR(distance_between(Kind::kEdges, {o, x, y, y + x}).distance, 1.0, 1e-15);
  EXPECT_NEAR(distance_between(Kind::kEdges, {o, x, 3.0 * x, 5.0 * x}).distance, 2.0, 1e-15);
  const PairDistance touching = distance_between(Kind::kEdges, {o, x, o, y});
  EXPECT_EQ(touching.distance, 0.0);
  EXPECT_EQ(touching.normal, Vector3::Zero());
}

}  // namespace
}  // namespace haptic::cloth
