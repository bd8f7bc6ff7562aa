#include "rt/servo/state_machine.h"

#include <gtest/gtest.h>

namespace haptic {
namespace {

StateMachine in_state(ServoState state) {
  StateMachine machine(0.5, 0.1);
  if (state == ServoState::kStarting) return machine;
  machine.update_homed(state != ServoState::kHoming);
  if (state == ServoState::kEngaged || state == ServoState::kStopping) machine.engage(true);
  if (state == ServoState::kStopping) machine.end();
  if (state == ServoState::kFault) machine.raise(FaultKind::kDeviceLost);
  return machine;
}

TEST(StateMachine, starts_through_homing_where_the_device_needs_it) {
  StateMachine machine(0.5);
  EXPECT_EQ(machine.state(), ServoState::kStarting);
  EXPECT_FALSE(machine.update_homed(false));
  EXPECT_EQ(machine.state(), ServoState::kHoming);
  EXPECT_FALSE(machine.update_homed(false));
  EXPECT_EQ(machine.state(), ServoState::kHoming);
  EXPECT_TRUE(machine.update_homed(true));
  EXPECT_EQ(machine.state(), ServoState::kIdle);

  StateMachine homed(0.5);
  EXPECT_FALSE(homed.update_homed(true));
  EXPECT_EQ(homed.state(), ServoState::kIdle);
}

TEST(StateMachine, every_command_in_every_state) {
  using enum ServoState;
  using enum CommandAnswer;
  struct Row {
    ServoState state;
    CommandAnswer engage, release, reset;
    ServoState after_engage, after_release, after_reset;
  };
  const Row rows[] = {
      {kStarting, kWrongState, kWrongState, kWrongState, kStarting, kStarting, kStarting},
      {kHoming, kWrongState, kWrongState, kWrongState, kHoming, kHoming, kHoming},
      {kIdle, kApplied, kApplied, kWrongState, kEngaged, kIdle, kIdle},
      {kEngaged, kApplied, kApplied, kWrongState, kEngaged, kIdle, kEngaged},
      {kStopping, kWrongState, kWrongState, kWrongState, kStopping, kStopping, kStopping},
      {kFault, kWrongState, kWrongState, kApplied, kFault, kFault, kStarting},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(name(row.state)));
    StateMachine machine = in_state(row.state);
    ASSERT_EQ(machine.state(), row.state);
    EXPECT_EQ(machine.engage(true), row.engage);
    EXPECT_EQ(machine.state(), row.after_engage);
    machine = in_state(row.state);
    EXPECT_EQ(machine.release(), row.release);
    EXPECT_EQ(machine.state(), row.after_release);
    machine = in_state(row.state);
    EXPECT_EQ(machine.reset(), row.reset);
    EXPECT_EQ(machine.state(), row.after_reset);
    machine = in_state(row.state);
    EXPECT_EQ(machine.stop(), row.state != kEngaged && row.state != kFault);
    EXPECT_EQ(machine.state(), row.state == kEngaged ? kStopping : kFault);
    machine = in_state(row.state);
    machine.end();
    EXPECT_EQ(machine.state(), row.state == kEngaged ? kStopping : row.state);
    machine = in_state(row.state);
    EXPECT_FALSE(machine.finish_stop());
    EXPECT_EQ(machine.state(), row.state == kStopping ? kIdle : row.state);
    machine = in_state(row.state);
    machine.raise(FaultKind::kOverload);
    EXPECT_EQ(machine.state(), kFault);
  }
}

TEST(StateMachine, a_fault_is_latched_with_its_first_cause) {
  StateMachine machine = in_state(ServoState::kEngaged);
  EXPECT_TRUE(machine.raise(FaultKind::kSpeedLimit));
  EXPECT_FALSE(machine.raise(FaultKind::kDeviceLost));
  EXPECT_EQ(machine.fault(), FaultKind::kSpeedLimit);
  for (int i = 0; i < 100; ++i) machine.update_homed(true);
  EXPECT_FALSE(machine.stop());
  EXPECT_EQ(machine.fault(), FaultKind::kSpeedLimit);
  EXPECT_EQ(machine.state(), ServoState::kFault);
  EXPECT_EQ(machine.reset(), CommandAnswer::kApplied);
  EXPECT_EQ(machine.fault(), FaultKind::kNone);
  machine.update_homed(true);
  EXPECT_EQ(machine.state(), ServoState::kIdle);
}

TEST(StateMachine, losing_the_reference_means_homing_or_fault) {
  StateMachine idle = in_state(ServoState::kIdle);
  idle.update_homed(false);
  EXPECT_EQ(idle.state(), ServoState::kHoming);
  StateMachine engaged = in_state(ServoState::kEngaged);
  engaged.update_homed(false);
  EXPECT_EQ(engaged.state(), ServoState::kFault);
  EXPECT_EQ(engaged.fault(), FaultKind::kDeviceValue);
}

TEST(StateMachine, engaging_out_of_reach_is_refused) {
  StateMachine machine = in_state(ServoState::kIdle);
  EXPECT_EQ(machine.engage(false), CommandAnswer::kOutOfReach);
  EXPECT_EQ(machine.state(), ServoState::kIdle);
}

TEST(StateMachine, force_ramps_in_linearly_and_leaves_at_once) {
  StateMachine machine = in_state(ServoState::kIdle);
  EXPECT_EQ(machine.advance_ramp(0.001), 0.0);
  machine.engage(true);
  for (int k = 1; k <= 500; ++k) {
    // Rounding of at most 500 sums of 0.002.
    EXPECT_NEAR(machine.advance_ramp(0.001), k / 500.0, 1e-12);
  }
  EXPECT_NEAR(machine.advance_ramp(0.001), 1.0, 1e-12);
  EXPECT_EQ(machine.advance_ramp(0.001), 1.0);
  machine.release();
  EXPECT_EQ(machine.advance_ramp(0.001), 0.0);
  machine.engage(true);
  EXPECT_NEAR(machine.advance_ramp(0.001), 0.002, 1e-15);  // from the start again
  machine.engage(true);                                    // engaged already: no new ramp
  EXPECT_NEAR(machine.advance_ramp(0.001), 0.004, 1e-15);
}

TEST(StateMachine, engaging_is_refused_while_the_enabling_device_is_released) {
  StateMachine machine = in_state(ServoState::kIdle);
  EXPECT_EQ(machine.engage(true, false), CommandAnswer::kNotEnabled);
  EXPECT_EQ(machine.engage(false, false), CommandAnswer::kNotEnabled);
  EXPECT_EQ(machine.state(), ServoState::kIdle);
  EXPECT_EQ(in_state(ServoState::kFault).engage(true, false), CommandAnswer::kWrongState);
}

TEST(StateMachine, a_stop_fades_the_present_force_and_ends_in_its_fault) {
  StateMachine machine = in_state(ServoState::kEngaged);
  for (int k = 0; k < 200; ++k) machine.advance_ramp(0.001);  // 0.4 of the force
  EXPECT_FALSE(machine.stop());
  EXPECT_TRUE(machine.drives());
  for (int k = 1; k <= 100; ++k) {
    // Rounding of at most 300 sums.
    ASSERT_NEAR(machine.advance_ramp(0.001), 0.4 * (1.0 - k / 100.0), 1e-12);
  }
  EXPECT_TRUE(machine.finish_stop());
  EXPECT_EQ(machine.fault(), FaultKind::kOperatorStop);
  EXPECT_EQ(machine.advance_ramp(0.001), 0.0);
  EXPECT_FALSE(machine.drives());
}

TEST(StateMachine, a_second_stop_and_a_fault_do_not_wait) {
  StateMachine twice = in_state(ServoState::kEngaged);
  EXPECT_FALSE(twice.stop());
  EXPECT_TRUE(twice.stop());
  EXPECT_EQ(twice.fault(), FaultKind::kOperatorStop);
  StateMachine faulty = in_state(ServoState::kStopping);
  EXPECT_TRUE(faulty.raise(FaultKind::kSpeedLimit));
  EXPECT_EQ(faulty.fault(), FaultKind::kSpeedLimit);
  EXPECT_FALSE(faulty.finish_stop());
  StateMachine unhomed = in_state(ServoState::kStopping);
  unhomed.update_homed(false);
  EXPECT_EQ(unhomed.fault(), FaultKind::kDeviceValue);
  StateMachine sudden(0.5, 0.0);
  sudden.update_homed(true);
  sudden.engage(true);
  EXPECT_TRUE(sudden.stop());  // stop_s = 0: at once
}

TEST(StateMachine, without_a_ramp_full_force_acts_immediately) {
  StateMachine machine(0.0);
  machine.update_homed(true);
  machine.engage(true);
  EXPECT_EQ(machine.advance_ramp(0.001), 1.0);
}

}  // namespace
}  // namespace haptic
