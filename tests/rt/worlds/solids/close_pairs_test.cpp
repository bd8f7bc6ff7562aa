#include "rt/worlds/solids/close_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "tests/support/no_allocation.h"

namespace haptic::solids {
namespace {

/// Bodies of random sizes, and pairs of them in a random order: none, one or both directions.
class ClosePairsTest : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kBodies = 60;

  ClosePairsTest() {
    bodies_.resize(kBodies);
    bounds_.resize(kBodies);
    for (std::uint32_t a = 0; a < kBodies; ++a) {
      for (std::uint32_t b = 0; b < kBodies; ++b) {
        if (a == b || random_() % 3 == 0) continue;
        pairs_.push_back({a, b, uniform(0.005, 0.02), uniform(0.005, 0.03), uniform(0.0, 0.002)});
        if (random_() % 200 == 0) {
          pairs_.back().points_radius = std::numeric_limits<double>::infinity();
        }
      }
    }
    std::ranges::shuffle(pairs_, random_);
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  void scatter(const Vector3& box) {
    for (BodyMotion& body : bodies_) {
      for (int axis = 0; axis < 3; ++axis) {
        body.pose.position[axis] = uniform(-box[axis], box[axis]);
      }
    }
  }
  void drift(double most) {
    for (std::uint32_t i = 0; i < kBodies; ++i) {
      for (int axis = 0; axis < 3; ++axis) bodies_[i].pose.position[axis] += uniform(-most, most);
      bounds_[i] = random_() % 4 == 0 ? uniform(0.0, 0.02) : 0.0;
    }
  }
  /// The plain test of all pairs.
  std::vector<std::uint32_t> expected(std::span<const double> bounds) const {
    std::vector<std::uint32_t> close;
    for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
      if (ClosePairs::is_close(pairs_[i], bodies_, bounds)) close.push_back(i);
    }
    return close;
  }
  /// Compares with the plain test, and what has left with the difference of both lists.
  void find_and_compare(ClosePairs& found, std::span<const double> bounds) {
    const std::vector<std::uint32_t> before(found.close().begin(), found.close().end());
    {
      NoAllocation guard;
      found.find(bodies_, bounds);
    }
    const std::vector<std::uint32_t> close = expected(bounds);
    EXPECT_TRUE(std::ranges::equal(found.close(), close));
    std::vector<std::uint32_t> left;
    std::ranges::set_difference(before, close, std::back_inserter(left));
    EXPECT_TRUE(std::ranges::equal(found.left(), left));
    seen_ += close.size();
    hidden_ += pairs_.size() - close.size();
  }

  std::mt19937 random_{11};
  std::vector<ClosePairs::Reach> pairs_;
  std::vector<BodyMotion> bodies_;
  std::vector<double> bounds_;
  std::size_t seen_ = 0, hidden_ = 0;
};

TEST_F(ClosePairsTest, are_those_of_the_plain_test_as_bodies_drift_and_jump) {
  ClosePairs found(pairs_, kBodies);
  EXPECT_EQ(found.close().size(), pairs_.size());
  // A heap, bodies far apart, columns along each axis, and all at one place along two of them.
  for (const Vector3& box :
       {Vector3(0.1, 0.1, 0.1), Vector3(2.0, 2.0, 2.0), Vector3(0.01, 0.01, 1.0),
        Vector3(0.01, 1.0, 0.01), Vector3(1.0, 0.01, 0.01), Vector3(0.0, 0.0, 0.3)}) {
    for (int round = 0; round < 5; ++round) {
      scatter(box);
      for (int step = 0; step < 20; ++step) {
        drift(1e-3);
        find_and_compare(found, bounds_);
        find_and_compare(found, {});
      }
    }
  }
  EXPECT_GT(seen_, 100000u);
  EXPECT_GT(hidden_, 100000u);
}

TEST_F(ClosePairsTest, a_gap_at_the_bound_is_decided_as_by_the_plain_test) {
  pairs_ = {{0, 1, 0.01, 0.02, 0.001}, {1, 0, 0.02, 0.01, 0.001}};
  ClosePairs found(pairs_, kBodies);
  for (int axis = 0; axis < 3; ++axis) {
    for (const double beyond : {-1e-15, -1e-17, 0.0, 1e-17, 1e-15}) {
      for (BodyMotion& body : bodies_) body.pose.position.setConstant(0.7);
      bodies_[1].pose.position[axis] += 0.031 + beyond;
      find_and_compare(found, {});
    }
  }
  EXPECT_GT(seen_, 0u);
  EXPECT_GT(hidden_, 0u);
}

TEST_F(ClosePairsTest, what_is_not_finite_is_close) {
  ClosePairs found(pairs_, kBodies);
  scatter({2.0, 2.0, 2.0});
  find_and_compare(found, bounds_);
  bodies_[7].pose.position.y() = std::numeric_limits<double>::quiet_NaN();
  find_and_compare(found, bounds_);
  bodies_[7].pose.position.y() = 0.0;
  bounds_[3] = std::numeric_limits<double>::infinity();
  find_and_compare(found, bounds_);
  bounds_[3] = 0.0;
  find_and_compare(found, bounds_);
}

TEST_F(ClosePairsTest, no_pairs_and_no_bodies_are_allowed) {
  pairs_.clear();
  ClosePairs found({}, kBodies);
  find_and_compare(found, {});
  bodies_.clear();
  ClosePairs none({}, 0);
  find_and_compare(none, {});
}

}  // namespace
}  // namespace haptic::solids
