// The servo's parts together under random faults.
#include "lab/samples/fault_storm.h"

#include <gtest/gtest.h>

namespace haptic {
namespace {

TEST(FaultStorm, the_servo_contains_every_combination_of_faults) {
  const StormResult storm = run_storm(20'000, 1);
  EXPECT_EQ(storm.drawn, 20'000u);
  EXPECT_EQ(storm.missed, 0u);
  EXPECT_EQ(storm.wrong_kind, 0u);
  EXPECT_EQ(storm.let_loose, 0u);
  EXPECT_EQ(storm.over_limit, 0u);
  EXPECT_EQ(storm.pushed_in_fault, 0u);
  EXPECT_EQ(storm.not_finite, 0u);
  // The storm is one: forces at their limit, most faults met a servo that was engaged, every kind
  // there is was drawn, met it and was latched under its own name.
  EXPECT_GT(storm.largest_force, 0.99 * kStormForce);
  EXPECT_GT(storm.largest_torque, 0.99 * kStormTorque);
  EXPECT_GT(storm.demanded, 8'000u);
  for (std::size_t kind = 1; kind < kFaultKinds; ++kind) {
    EXPECT_GT(storm.latched_as_met[kind], 100u) << kFaultNames[kind];
    EXPECT_GT(100 * storm.latched_as_met[kind], 95 * storm.met[kind]) << kFaultNames[kind];
  }
}

TEST(FaultStorm, is_the_same_for_the_same_seed) {
  const StormResult a = run_storm(2'000, 7), b = run_storm(2'000, 7), c = run_storm(2'000, 8);
  EXPECT_EQ(a.latched, b.latched);
  EXPECT_EQ(a.largest_force, b.largest_force);
  EXPECT_NE(a.latched, c.latched);
}

}  // namespace
}  // namespace haptic
