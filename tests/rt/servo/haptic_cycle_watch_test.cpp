// Faults of device and machine that a cycle detects: old readings, a suspend, two channels that
// disagree, outputs that do not reach the motors.
#include <gtest/gtest.h>

#include "tests/rt/servo/cycle_fixture.h"

namespace haptic {
namespace {

class CycleWatch : public CycleFixture {
 protected:
  /// One cycle whose reading is `age_ns` old.
  void run_with_age(std::int64_t age_ns) {
    if (!cycle_) start();
    hand_.state.taken_ns = schedule_->next_ns() - age_ns;
    run();
  }
};

TEST_F(CycleWatch, a_reading_older_than_twenty_milliseconds_is_a_fault) {
  engage();
  run_with_age(20'000'000);
  EXPECT_EQ(cycle_->state(), ServoState::kEngaged);
  run_with_age(20'000'001);
  expect_fault(FaultKind::kStaleInput);
}

TEST_F(CycleWatch, the_scene_sets_how_old_a_reading_may_be) {
  settings_.limits.stale_input_s = 0.05;
  engage();
  run_with_age(50'000'000);
  EXPECT_EQ(cycle_->state(), ServoState::kEngaged);
  run_with_age(50'000'001);
  expect_fault(FaultKind::kStaleInput);
}

TEST_F(CycleWatch, an_old_reading_is_no_fault_without_a_force) {
  for (int k = 0; k < 5; ++k) run_with_age(1'000'000'000);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
  hand_.state.taken_ns = 0;  // in the exchange itself
  engage();
  run(5);
  EXPECT_EQ(cycle_->state(), ServoState::kEngaged);
}

TEST_F(CycleWatch, a_reading_from_the_future_is_invalid) {
  run(3);
  const Pose seen = wall_.poses()[0];
  hand_.state.pose.position.x() = 0.05;
  run_with_age(-1);
  expect_fault(FaultKind::kDeviceValue);
  EXPECT_EQ(wall_.poses()[0].position, seen.position);
}

TEST_F(CycleWatch, stop_channels_that_disagree_are_a_fault_in_any_state) {
  run(3);
  hand_.state.stop_channels_disagree = true;
  run();
  expect_fault(FaultKind::kStopDiscrepancy);
  cycle_.reset();
  sink_ = MemorySink();
  hand_.state.stop_channels_disagree = false;
  engage();
  hand_.state.stop_channels_disagree = true;
  hand_.status = DeviceStatus::kDisconnected;  // whatever else it says
  run();
  expect_fault(FaultKind::kStopDiscrepancy);
}

TEST_F(CycleWatch, outputs_that_do_not_reach_the_device_are_a_fault) {
  engage();
  EXPECT_TRUE(cycle_->reaches_motors());
  hand_.reaches = false;
  run();
  expect_fault(FaultKind::kDeviceStalled);
  EXPECT_FALSE(cycle_->reaches_motors());
}

TEST_F(CycleWatch, a_suspend_is_a_fault_before_any_force) {
  clock_.suspended_ns = 3'600'000'000'000;  // of before the daemon
  engage();
  clock_.suspended_ns += 4'000'000;  // less than two clock reads may differ
  run();
  EXPECT_EQ(cycle_->state(), ServoState::kEngaged);
  clock_.suspended_ns -= 4'000'000;
  run();
  clock_.suspended_ns += 9'000'001;
  run();
  expect_fault(FaultKind::kSuspended);
  EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kApplied);
  run(10);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);  // told once
}

TEST_F(CycleWatch, a_refused_wait_is_a_fault) {
  engage();
  clock_.refused_sleeps = 1;
  run();
  expect_fault(FaultKind::kOverload);
  EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kApplied);
  run(10);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
}

}  // namespace
}  // namespace haptic
