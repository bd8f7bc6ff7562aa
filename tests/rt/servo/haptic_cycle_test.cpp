#include "rt/servo/haptic_cycle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "rt/servo/loop_watch.h"
#include "rt/servo/parameter_table.h"
#include "shared/ipc/telemetry_writer.h"
#include "tests/rt/servo/cycle_fixture.h"
#include "tests/shared/ipc/test_name.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

constexpr double kBadNumber = std::numeric_limits<double>::quiet_NaN();

class HapticCycleTest : public CycleFixture {};

TEST_F(HapticCycleTest, in_idle_the_world_runs_and_the_hand_is_free) {
  run(10);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
  EXPECT_EQ(wall_.steps, 10u);
  EXPECT_EQ(hand_.actuations, 10u);
  EXPECT_EQ(hand_.felt.force, Vector3::Zero());
  EXPECT_NEAR(sink_.samples.back().wanted_wrench.force_N[2], 1.0, 1e-12);
  EXPECT_EQ(sink_.samples.back().device_wrench.force_N[2], 0.0);
}

TEST_F(HapticCycleTest, engaged_passes_the_worlds_wrench_on) {
  engage();
  run();
  EXPECT_NEAR(hand_.felt.force.z(), 1.0, 1e-12);
  EXPECT_EQ(command(CommandKind::kRelease).answer, CommandAnswer::kApplied);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
  EXPECT_EQ(hand_.felt.force, Vector3::Zero());
}

TEST_F(HapticCycleTest, force_ramps_in_over_the_set_time) {
  settings_.limits.ramp_s = 0.1;
  engage();  // this cycle already ramps
  for (int k = 2; k <= 100; ++k) {
    run();
    ASSERT_NEAR(hand_.felt.force.z(), k / 100.0, 1e-12);
  }
  run();
  EXPECT_NEAR(hand_.felt.force.z(), 1.0, 1e-12);
}

TEST_F(HapticCycleTest, limits_are_the_lower_of_scene_and_device) {
  settings_.limits.force = 8.5;
  hand_.capability.max_force = 5.0;
  hand_.state.pose.position.z() = -0.02;  // wants 20 N
  engage();
  EXPECT_NEAR(hand_.felt.force.z(), 5.0, 1e-12);
  EXPECT_EQ(sink_.samples.back().limited, std::uint32_t{kLimitedForce});
  EXPECT_EQ(sink_.statistics().counters.limited_cycles, 1u);
  EXPECT_EQ(command(CommandKind::kSet, servo_parameter("limits.force"), 2.0).answer,
            CommandAnswer::kApplied);
  EXPECT_NEAR(hand_.felt.force.z(), 2.0, 1e-12);
  EXPECT_EQ(command(CommandKind::kSet, servo_parameter("limits.force"), 5.1).answer,
            CommandAnswer::kOutOfRange);
  EXPECT_NEAR(hand_.felt.force.z(), 2.0, 1e-12);
}

TEST_F(HapticCycleTest, a_command_given_before_the_device_is_heard_waits_for_it) {
  ASSERT_TRUE(commands_.post({CommandKind::kEngage, 0, 0.0}));
  run();
  CommandReply reply{};
  EXPECT_FALSE(commands_.collect(reply));
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
  run();
  ASSERT_TRUE(commands_.collect(reply));
  EXPECT_EQ(reply.answer, CommandAnswer::kApplied);
  EXPECT_EQ(reply.cycle, 1u);
  EXPECT_EQ(cycle_->state(), ServoState::kEngaged);
}

TEST_F(HapticCycleTest, a_world_that_does_not_pull_refuses) {
  run();
  EXPECT_EQ(command(CommandKind::kPull).answer, CommandAnswer::kNotPulled);
}

TEST_F(HapticCycleTest, parameters_reach_the_world_between_cycles) {
  engage();
  const std::uint32_t stiffness = kServoParameterCount;
  EXPECT_EQ(command(CommandKind::kSet, stiffness, 500.0).answer, CommandAnswer::kApplied);
  EXPECT_NEAR(hand_.felt.force.z(), 0.5, 1e-12);
  const CommandReply refused = command(CommandKind::kSet, stiffness, 5001.0);
  EXPECT_EQ(refused.answer, CommandAnswer::kOutOfRange);
  EXPECT_EQ(refused.maximum, 5000.0);
  EXPECT_EQ(command(CommandKind::kSet, stiffness, kBadNumber).answer, CommandAnswer::kOutOfRange);
  EXPECT_EQ(command(CommandKind::kSet, 99, 1.0).answer, CommandAnswer::kUnknownKey);
  EXPECT_EQ(command(CommandKind::kSet, servo_parameter("limits.ramp_s"), 61.0).answer,
            CommandAnswer::kOutOfRange);
  EXPECT_NEAR(hand_.felt.force.z(), 0.5, 1e-12);
}

TEST_F(HapticCycleTest, a_limit_that_an_operator_changes_reaches_the_world) {
  engage();
  EXPECT_EQ(wall_.force_limit, 0.0);
  EXPECT_EQ(command(CommandKind::kSet, servo_parameter("limits.force"), 0.75).answer,
            CommandAnswer::kApplied);
  EXPECT_EQ(wall_.force_limit, 0.75);
  EXPECT_EQ(command(CommandKind::kSet, servo_parameter("limits.ramp_s"), 0.25).answer,
            CommandAnswer::kApplied);
  EXPECT_EQ(wall_.force_limit, 0.75);
}

TEST_F(HapticCycleTest, a_value_that_others_exclude_is_refused_with_what_is_allowed_now) {
  engage();
  wall_.allowed_now = 800.0;  // of 5000
  const CommandReply refused = command(CommandKind::kSet, kServoParameterCount, 900.0);
  EXPECT_EQ(refused.answer, CommandAnswer::kOutOfRange);
  EXPECT_EQ(refused.minimum, 1.0);
  EXPECT_EQ(refused.maximum, 800.0);
  EXPECT_EQ(command(CommandKind::kSet, kServoParameterCount, 800.0).answer,
            CommandAnswer::kApplied);
}

TEST_F(HapticCycleTest, values_of_parameters_are_published_in_turn) {
  engage();
  EXPECT_EQ(command(CommandKind::kSet, kServoParameterCount, 700.0).answer,
            CommandAnswer::kApplied);
  EXPECT_EQ(command(CommandKind::kSet, servo_parameter("limits.ramp_s"), 0.25).answer,
            CommandAnswer::kApplied);
  for (std::uint32_t i = 0; i <= kServoParameterCount; ++i) run();
  EXPECT_EQ(sink_.parameters[servo_parameter("limits.force")],
            std::min(settings_.limits.force, hand_.capability.max_force));
  EXPECT_EQ(sink_.parameters[servo_parameter("limits.ramp_s")], 0.25);
  EXPECT_EQ(sink_.parameters[kServoParameterCount], 700.0);
  EXPECT_EQ(sink_.parameters[kServoParameterCount + 1], 0.0);  // there is none
}

TEST_F(HapticCycleTest, parameter_table_lists_the_servos_and_the_worlds) {
  const ParameterTable table(wall_, hand_.capability, 1000.0);
  EXPECT_EQ(table.find("limits.force"), servo_parameter("limits.force"));
  EXPECT_EQ(table.find("limits.slew_N_per_s"), servo_parameter("limits.slew_N_per_s"));
  EXPECT_EQ(table.find("wall.stiffness"), std::uint32_t{kServoParameterCount});
  EXPECT_FALSE(table.find("wall.stiffnes").has_value());
}

TEST_F(HapticCycleTest, a_failing_world_is_a_fault_with_zero_output) {
  const std::pair<WorldStatus, FaultKind> cases[] = {
      {WorldStatus::kDiverged, FaultKind::kWorldDiverged},
      {WorldStatus::kNotFinite, FaultKind::kWorldNotFinite},
      {WorldStatus::kCapacity, FaultKind::kWorldCapacity}};
  for (const auto& [status, fault] : cases) {
    engage();
    wall_.next_status = status;
    wall_.failed_body = fault == FaultKind::kWorldDiverged ? 3 : WorldOutput::kNoBody;
    run();
    expect_fault(fault);
    EXPECT_EQ(cycle_->failed_body(), wall_.failed_body);
    wall_.next_status = WorldStatus::kOk;  // a world that works again does not lift the latch
    run(50);
    expect_fault(fault);
    EXPECT_EQ(command(CommandKind::kEngage).answer, CommandAnswer::kWrongState);
    const std::uint64_t resets = wall_.resets;
    EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kApplied);
    EXPECT_EQ(wall_.resets, resets + 1);
    EXPECT_EQ(cycle_->state(), ServoState::kIdle);
    EXPECT_EQ(hand_.felt.force, Vector3::Zero());
  }
}

TEST_F(HapticCycleTest, a_wrench_that_is_not_finite_never_reaches_the_device) {
  for (const double bad : {kBadNumber, std::numeric_limits<double>::infinity()}) {
    cycle_.reset();
    sink_ = MemorySink();
    wall_.disturbance = 0.0;
    engage();
    wall_.disturbance = bad;
    run();
    expect_fault(FaultKind::kWrenchNotFinite);
  }
}

TEST_F(HapticCycleTest, a_wrench_that_is_not_finite_is_a_fault_even_in_idle) {
  run(3);
  wall_.disturbance = kBadNumber;
  run();
  expect_fault(FaultKind::kWrenchNotFinite);
}

TEST_F(HapticCycleTest, device_failures_are_faults) {
  engage();
  hand_.status = DeviceStatus::kDisconnected;
  run();
  expect_fault(FaultKind::kDeviceLost);
  hand_.status = DeviceStatus::kOk;
  EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kApplied);

  engage();
  hand_.status = DeviceStatus::kBadValue;
  run();
  expect_fault(FaultKind::kDeviceValue);
}

TEST_F(HapticCycleTest, every_device_status_is_reported_by_read_and_by_write) {
  const std::pair<DeviceStatus, FaultKind> sensed[] = {
      {DeviceStatus::kImplausible, FaultKind::kEncoderImplausible},
      {DeviceStatus::kStale, FaultKind::kStaleInput},
      {DeviceStatus::kOverheated, FaultKind::kOverheated}};
  for (const auto& [status, fault] : sensed) {
    cycle_.reset();
    sink_ = MemorySink();
    engage();
    hand_.status = status;
    run();
    hand_.status = DeviceStatus::kOk;
    run(20);
    expect_fault(fault);
  }
  const std::pair<DeviceStatus, FaultKind> sent[] = {
      {DeviceStatus::kDisconnected, FaultKind::kDeviceLost},
      {DeviceStatus::kBadValue, FaultKind::kWrenchNotFinite},
      {DeviceStatus::kImplausible, FaultKind::kEncoderImplausible},
      {DeviceStatus::kStale, FaultKind::kStaleInput},
      {DeviceStatus::kOverheated, FaultKind::kOverheated}};
  for (const auto& [status, fault] : sent) {
    cycle_.reset();
    sink_ = MemorySink();
    engage();
    hand_.actuate_status = status;
    run();
    hand_.actuate_status = DeviceStatus::kOk;
    run();  // the wrench of the refused exchange is gone
    expect_fault(fault);
  }
}

TEST_F(HapticCycleTest, impossible_device_values_never_reach_the_world) {
  engage();
  const Pose good = hand_.state.pose;
  hand_.state.pose.position.x() = kBadNumber;
  run();
  expect_fault(FaultKind::kDeviceValue);
  EXPECT_EQ(wall_.poses()[0].position, good.position);
  hand_.state.pose = good;
  EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kApplied);
  hand_.state.pose.orientation = Quaternion(0.5, 0.0, 0.0, 0.0);
  run();
  EXPECT_EQ(cycle_->state(), ServoState::kFault);
  EXPECT_EQ(faults(FaultKind::kDeviceValue), 2u);
}

TEST_F(HapticCycleTest, a_device_that_refuses_the_force_is_lost) {
  engage();
  hand_.actuate_status = DeviceStatus::kDisconnected;
  run();
  EXPECT_EQ(cycle_->state(), ServoState::kFault);
  EXPECT_EQ(cycle_->sample().fault, FaultKind::kDeviceLost);
}

TEST_F(HapticCycleTest, speed_and_workspace_count_only_when_engaged) {
  settings_.limits.speed = 1.0;
  settings_.limits.workspace_radius = 0.1;
  hand_.state.twist.linear.x() = 2.0;
  run(3);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
  EXPECT_EQ(command(CommandKind::kEngage).answer, CommandAnswer::kOutOfReach);
  hand_.state.twist.linear.setZero();
  run();
  engage();
  hand_.state.twist.linear.x() = 2.0;
  run();
  expect_fault(FaultKind::kSpeedLimit);
  hand_.state.twist.linear.setZero();
  EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kApplied);
  engage();
  hand_.state.pose.position.x() = 0.2;
  run();
  expect_fault(FaultKind::kWorkspaceLimit);
}

TEST_F(HapticCycleTest, operator_stop_is_latched_in_any_state) {
  engage();
  EXPECT_EQ(command(CommandKind::kStop).answer, CommandAnswer::kApplied);
  run(100);  // stop_brake_test
  expect_fault(FaultKind::kOperatorStop);
  run(100);
  expect_fault(FaultKind::kOperatorStop);
  EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kApplied);
  EXPECT_EQ(command(CommandKind::kStop).answer, CommandAnswer::kApplied);
  EXPECT_EQ(cycle_->state(), ServoState::kFault);
  EXPECT_EQ(faults(FaultKind::kOperatorStop), 2u);
}

TEST_F(HapticCycleTest, the_devices_stop_input_is_latched_in_any_state) {
  run(3);
  hand_.state.emergency_stop = true;
  run();
  expect_fault(FaultKind::kEmergencyStop);
  // As long as the input is active a reset does not last.
  EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kApplied);
  EXPECT_EQ(cycle_->state(), ServoState::kFault);
  EXPECT_EQ(faults(FaultKind::kEmergencyStop), 2u);
  hand_.state.emergency_stop = false;
  run(100);
  EXPECT_EQ(cycle_->state(), ServoState::kFault);
  EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kApplied);
  engage();
  run();
  EXPECT_NE(hand_.felt.force.z(), 0.0);
  hand_.state.emergency_stop = true;
  run();
  EXPECT_EQ(cycle_->sample().fault, FaultKind::kEmergencyStop);
  EXPECT_EQ(hand_.felt.force, Vector3::Zero());
  EXPECT_FALSE(hand_.enabled);
}

TEST_F(HapticCycleTest, the_stop_input_is_evaluated_even_if_the_rest_of_the_reading_is_invalid) {
  engage();
  hand_.state.emergency_stop = true;
  hand_.state.pose.position.x() = kBadNumber;
  run();
  expect_fault(FaultKind::kEmergencyStop);
}

TEST_F(HapticCycleTest, a_stop_button_is_an_emergency_stop) {
  settings_.limits.stop_buttons = 1u << 3;
  engage();
  hand_.state.buttons = 0b0111;
  run(3);
  EXPECT_EQ(cycle_->state(), ServoState::kEngaged);
  hand_.state.buttons = 0b1000;
  run();
  hand_.state.buttons = 0;
  run(50);
  expect_fault(FaultKind::kEmergencyStop);
}

TEST_F(HapticCycleTest, amplifiers_are_on_only_while_engaged) {
  run(5);
  EXPECT_FALSE(hand_.enabled);
  engage();
  EXPECT_TRUE(hand_.enabled);
  EXPECT_EQ(command(CommandKind::kRelease).answer, CommandAnswer::kApplied);
  EXPECT_FALSE(hand_.enabled);
  engage();
  wall_.next_status = WorldStatus::kDiverged;
  run();
  EXPECT_FALSE(hand_.enabled);  // in the cycle of the fault itself
  EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kApplied);
  engage();
  cycle_->zero_device();
  EXPECT_FALSE(hand_.enabled);
}

TEST_F(HapticCycleTest, power_is_limited_by_the_speed_of_the_hand) {
  settings_.limits.power = 0.5;
  settings_.limits.power_s = 0.0205;
  hand_.state.twist.linear.z() = 1.0;  // driven out of the wall at 1 W
  engage();
  EXPECT_NEAR(hand_.felt.force.z(), 0.5, 1e-12);
  EXPECT_EQ(sink_.samples.back().limited, std::uint32_t{kLimitedPower});
  run(19);
  EXPECT_EQ(cycle_->state(), ServoState::kEngaged);
  run();
  expect_fault(FaultKind::kPowerLimit);
}

TEST_F(HapticCycleTest, an_output_that_was_not_renewed_in_time_is_a_fault) {
  settings_.limits.stale_s = 0.02;
  clock_.pass(1'000'000'000);  // without an output nothing is stale
  run(3);
  clock_.pass(1'000'000'000);
  engage();
  clock_.pass(18'000'000);
  run(10);
  EXPECT_EQ(cycle_->state(), ServoState::kEngaged);
  clock_.pass(21'000'000);
  run();
  expect_fault(FaultKind::kStaleCommand);
}

TEST_F(HapticCycleTest, a_wrench_that_took_too_long_to_compute_is_stale) {
  settings_.limits.stale_s = 0.02;
  run(3);
  wall_.slow_step = wall_.steps + 1;
  wall_.slow_step_ns = 25'000'000;
  EXPECT_EQ(command(CommandKind::kEngage).answer, CommandAnswer::kApplied);
  expect_fault(FaultKind::kStaleCommand);
  EXPECT_EQ(hand_.felt.force, Vector3::Zero());
}

TEST_F(HapticCycleTest, a_report_from_outside_is_latched_once) {
  engage();
  cycle_->report(FaultKind::kGuardLost);
  run(5);
  expect_fault(FaultKind::kGuardLost);
  EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kApplied);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
}

TEST_F(HapticCycleTest, a_forbidden_call_is_a_fault) {
  engage();
  LoopWatch::note_forbidden_call(2);
  run(5);
  expect_fault(FaultKind::kForbiddenCall);
  EXPECT_EQ(LoopWatch::forbidden_call(), 2);
  EXPECT_GE(sink_.statistics().counters.forbidden_calls, 1u);
}

TEST_F(HapticCycleTest, homing_exerts_no_force_and_resets_the_world_at_its_end) {
  hand_.capability.needs_homing = true;
  hand_.state.homed = false;
  run(5);
  EXPECT_EQ(cycle_->state(), ServoState::kHoming);
  EXPECT_EQ(command(CommandKind::kEngage).answer, CommandAnswer::kWrongState);
  EXPECT_EQ(wall_.resets, 0u);
  hand_.state.homed = true;
  run();
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
  EXPECT_EQ(wall_.resets, 1u);
  engage();
  hand_.state.homed = false;
  run();
  expect_fault(FaultKind::kDeviceValue);
}

TEST_F(HapticCycleTest, engage_at_start_needs_no_operator) {
  settings_.engage_at_start = true;
  run();
  EXPECT_EQ(cycle_->state(), ServoState::kEngaged);
  EXPECT_NEAR(hand_.felt.force.z(), 1.0, 1e-12);
  EXPECT_EQ(command(CommandKind::kRelease).answer, CommandAnswer::kApplied);
  run(3);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);  // once only
}

TEST_F(HapticCycleTest, every_cycle_is_published) {
  run(100);
  ASSERT_EQ(sink_.samples.size(), 100u);
  for (std::size_t k = 0; k < 100; ++k) {
    EXPECT_EQ(sink_.samples[k].cycle, k);
    EXPECT_EQ(sink_.samples[k].couple_ns, 20'000);
    EXPECT_EQ(sink_.samples[k].total_ns, 20'000);
    EXPECT_EQ(sink_.samples[k].device_pose.position_m[2], -0.001);
  }
  EXPECT_EQ(sink_.state_size, 9u);  // a pose and two coordinates
  EXPECT_EQ(sink_.last_value, 100.0);
  EXPECT_EQ(sink_.statistics().counters.cycles, 100u);
  EXPECT_EQ(sink_.statistics().compute.count(), 100u);
  EXPECT_EQ(sink_.statistics().compute.maximum_ns, 20'000u);
}

TEST_F(HapticCycleTest, counts_in_which_cycles_a_physical_warning_held) {
  settings_.limits.force = 0.25;  // of the wall's 1 N
  const auto limited =
      std::ranges::find(kPhysicalWarnings, "force_limited", &PhysicalWarning::name);
  ASSERT_NE(limited, kPhysicalWarnings.end());
  const std::size_t index = static_cast<std::size_t>(limited - kPhysicalWarnings.begin());
  run(30);
  EXPECT_EQ(sink_.statistics().warnings[index].cycles, 0u);  // idle: no force
  engage();
  const std::uint64_t before = sink_.statistics().warnings[index].cycles;
  run(100);
  const WarningRecord& record = sink_.statistics().warnings[index];
  EXPECT_EQ(record.cycles, before + 100);
  EXPECT_EQ(record.last_cycle, sink_.samples.back().cycle);
  EXPECT_EQ(find_warnings(sink_.statistics().warnings, 1000.0).size(), 1u);
}

TEST_F(HapticCycleTest, after_a_fault_no_physical_warning_is_counted) {
  settings_.limits.force = 0.25;  // of the wall's 1 N
  const auto cycles = [&] {
    std::uint64_t sum = 0;
    for (const WarningRecord& record : sink_.statistics().warnings) sum += record.cycles;
    return sum;
  };
  engage();
  run(100);
  ASSERT_GT(cycles(), 0u);
  wall_.next_status = WorldStatus::kDiverged;
  run(1);
  const std::uint64_t at_fault = cycles();
  run(100);
  EXPECT_EQ(cycles(), at_fault);
}

TEST_F(HapticCycleTest, release_sends_zero_force) {
  engage();
  cycle_->zero_device();
  EXPECT_EQ(hand_.felt.force, Vector3::Zero());
}

TEST_F(HapticCycleTest, no_cycle_allocates_or_locks_in_any_state) {
  TelemetryWriter writer(test_name("cycle"), [] {
    TelemetryDescription description;
    description.bodies = {make_body_record("tip", "", 0, 0, 2, true)};
    description.state = StateLayout(body_blocks(1, 2));
    return description;
  }());
  settings_.limits.stop_s = 0.02;
  HapticCycle cycle(hand_, wall_, clock_, commands_, writer, settings_);
  Schedule schedule(1'000'000, clock_.now_ns() + 1'000'000);
  const CommandKind script[] = {CommandKind::kEngage, CommandKind::kSet,    CommandKind::kStop,
                                CommandKind::kReset,  CommandKind::kEngage, CommandKind::kRelease};
  for (const CommandKind kind : script) {
    ASSERT_TRUE(commands_.post({kind, kServoParameterCount, 700.0}));
    {
      const NoAllocation guard;
      for (int i = 0; i < 50; ++i) {
        clock_.sleep_until(schedule.next_ns());
        cycle.run(schedule.take(clock_.now_ns()), clock_.now_ns());
      }
    }
    CommandReply reply{};
    ASSERT_TRUE(commands_.collect(reply));
  }
  EXPECT_EQ(cycle.cycles(), 300u);
}

}  // namespace
}  // namespace haptic
