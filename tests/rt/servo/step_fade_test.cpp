#include "rt/servo/step_fade.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace haptic {
namespace {

TEST(StepFade, a_difference_falls_to_zero_in_equal_parts) {
  StepFade fade(4, 1e-3);
  fade.begin(Vector6::Constant(0.8));
  for (const double left : {0.6, 0.4, 0.2, 0.0, 0.0}) {
    EXPECT_NEAR(fade.difference()[2], left, 1e-15);
    fade.advance(Vector6::Zero());
  }
  StepFade at_one_rate(1, 1e-3);
  at_one_rate.begin(Vector6::Constant(0.8));
  EXPECT_EQ(at_one_rate.difference().norm(), 0.0);
}

TEST(StepFade, books_the_work_of_what_it_adds_and_ends_what_it_cannot_pay) {
  StepFade fade(10, 1e-3);
  const Vector6 force = 2.0 * Vector6::Unit(1), way = 1e-6 * Vector6::Unit(1);
  fade.begin(Vector6::Unit(1));
  EXPECT_TRUE(fade.allows(force));
  fade.advance(-way);  // against the force: the hand gives
  EXPECT_NEAR(fade.taken(), 2e-6, 1e-18);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(fade.allows(force));
    fade.advance(way);
  }
  EXPECT_NEAR(fade.taken(), -2e-6 * std::exp(-0.01), 1e-18);
  EXPECT_FALSE(fade.allows(force));  // it would go on giving
  EXPECT_EQ(fade.difference().norm(), 0.0);
  fade.begin(Vector6::Unit(1));
  EXPECT_TRUE(fade.allows(-force));  // this one takes
  fade.advance(-10.0 * way);         // but the hand turns round, beyond the overdraft
  EXPECT_LT(fade.taken(), -StepFade::kOverdraft_J);
  EXPECT_FALSE(fade.allows(force));
  fade.clear();
  EXPECT_EQ(fade.taken(), 0.0);
}

/// Springs of 300 N/m on random differences, and a hand that wanders for 100 s: no more is given
/// than is forgiven, 0.1 mW, the overdraft, and a cycle's work.
TEST(StepFade, never_gives_more_than_it_has_taken_and_is_forgiven) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const double cycle = 0.25e-3;
  StepFade fade(16, cycle);
  Vector6 v = Vector6::Zero();
  double given = 0.0, largest = 0.0;
  for (int i = 0; i < 400'000; ++i) {
    if (i % 16 == 0) fade.begin(Vector6::NullaryExpr([&] { return 1e-3 * normal(random); }));
    const Vector6 added = 300.0 * fade.difference();
    const bool allowed = fade.allows(added);
    v = 0.98 * v + Vector6::NullaryExpr([&] { return 1e-5 * normal(random); });
    const double work = allowed ? added.dot(v) : 0.0;
    given += work;
    largest = std::max(largest, work);
    fade.advance(v);
    ASSERT_LT(given, largest + StepFade::kOverdraft_J +
                         (StepFade::kOverdraft_J + largest) * i * cycle / StepFade::kForgiven_s);
  }
}

}  // namespace
}  // namespace haptic
