// Stop category 1: the force fades, the hand is damped, then the outputs are off.
#include "rt/servo/stop_brake.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rt/device/simulated_device.h"
#include "tests/rt/servo/cycle_fixture.h"

namespace haptic {
namespace {

constexpr double kRate = 1000.0;

class ControlledStop : public CycleFixture {
 protected:
  /// Cycles until the state is not `stopping`, this one included; the largest step of the force.
  int run_out() {
    int cycles = 0;
    while (cycle_->state() == ServoState::kStopping && cycles < 1000) {
      const Vector3 before = hand_.felt.force;
      run();
      largest_step_ = std::max(largest_step_, (hand_.felt.force - before).norm());
      ++cycles;
    }
    return cycles;
  }
  double largest_step_ = 0.0;
};

TEST_F(ControlledStop, an_operators_stop_fades_the_force_and_ends_in_its_fault) {
  hand_.state.pose.position.z() = -0.008;  // 8 N
  engage();
  const CommandReply reply = command(CommandKind::kStop);
  EXPECT_EQ(reply.answer, CommandAnswer::kApplied);
  EXPECT_EQ(reply.state, ServoState::kStopping);
  EXPECT_NEAR(hand_.felt.force.z(), 8.0 * 0.99, 1e-12);
  for (int k = 2; k <= 90; ++k) {
    run();
    ASSERT_NEAR(hand_.felt.force.z(), 8.0 * (1.0 - k / 100.0), 1e-11);
    ASSERT_TRUE(hand_.enabled);
  }
  const int left = run_out();
  EXPECT_LE(left, 11);
  EXPECT_GE(left, 8);  // the hand rests: the last hundredth is not waited for
  EXPECT_LE(largest_step_, 0.01 * 8.5 + 1e-12);
  expect_fault(FaultKind::kOperatorStop);
  EXPECT_FALSE(hand_.enabled);
}

TEST_F(ControlledStop, ends_within_its_time_for_any_hand_motion) {
  settings_.limits.stop_s = 0.05;
  engage();
  hand_.state.twist.linear.x() = 1.0;
  ASSERT_EQ(command(CommandKind::kStop).answer, CommandAnswer::kApplied);
  EXPECT_EQ(run_out(), 50);
  expect_fault(FaultKind::kOperatorStop);
}

TEST_F(ControlledStop, fades_by_elapsed_time_when_slots_are_missed) {
  hand_.state.twist.linear.x() = 1.0;
  engage();
  ASSERT_EQ(command(CommandKind::kStop).answer, CommandAnswer::kApplied);
  const double before = hand_.felt.force.z();
  clock_.pass(15'000'000);
  run();
  EXPECT_NEAR(hand_.felt.force.z(), before - 0.01, 1e-12);  // one step
  EXPECT_NEAR(run_out(), 84, 1);
}

TEST_F(ControlledStop, a_hand_at_rest_without_a_force_need_not_wait) {
  hand_.state.pose.position.z() = 0.01;
  engage();
  EXPECT_EQ(command(CommandKind::kStop).answer, CommandAnswer::kApplied);
  expect_fault(FaultKind::kOperatorStop);
}

TEST_F(ControlledStop, a_second_stop_acts_immediately) {
  engage();
  ASSERT_EQ(command(CommandKind::kStop).answer, CommandAnswer::kApplied);
  run(5);
  EXPECT_EQ(command(CommandKind::kStop).answer, CommandAnswer::kApplied);
  expect_fault(FaultKind::kOperatorStop);
}

TEST_F(ControlledStop, a_fault_during_a_controlled_stop_is_category_0) {
  engage();
  ASSERT_EQ(command(CommandKind::kStop).answer, CommandAnswer::kApplied);
  run(5);
  EXPECT_GT(hand_.felt.force.z(), 0.9);
  hand_.state.emergency_stop = true;
  run();
  expect_fault(FaultKind::kEmergencyStop);
  EXPECT_EQ(faults(FaultKind::kOperatorStop), 0u);
}

TEST_F(ControlledStop, other_commands_are_refused_until_it_ends) {
  engage();
  ASSERT_EQ(command(CommandKind::kStop).answer, CommandAnswer::kApplied);
  EXPECT_EQ(command(CommandKind::kEngage).answer, CommandAnswer::kWrongState);
  EXPECT_EQ(command(CommandKind::kRelease).answer, CommandAnswer::kWrongState);
  EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kWrongState);
  EXPECT_EQ(cycle_->state(), ServoState::kStopping);
}

TEST_F(ControlledStop, a_stop_requested_by_a_report_counts_as_the_operators) {
  engage();
  cycle_->report(FaultKind::kOperatorStop);
  run();
  EXPECT_EQ(cycle_->state(), ServoState::kStopping);
  run_out();
  expect_fault(FaultKind::kOperatorStop);
}

TEST_F(ControlledStop, the_enabling_device_is_hold_to_run) {
  settings_.limits.enable_buttons = 1u << 2;
  hand_.capability.enable_button = 5;
  run(3);
  EXPECT_EQ(command(CommandKind::kEngage).answer, CommandAnswer::kNotEnabled);
  hand_.state.buttons = 1u << 2;
  run();
  EXPECT_EQ(command(CommandKind::kEngage).answer, CommandAnswer::kNotEnabled);  // both
  hand_.state.buttons = 1u << 2 | 1u << 5;
  run();
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);  // held alone starts nothing
  engage();
  run(10);
  hand_.state.buttons = 1u << 2;
  run();
  EXPECT_EQ(cycle_->state(), ServoState::kStopping);
  EXPECT_NEAR(hand_.felt.force.z(), 0.99, 1e-12);
  hand_.state.buttons = 1u << 2 | 1u << 5;  // too late
  EXPECT_LE(run_out(), 100);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
  EXPECT_EQ(cycle_->sample().fault, FaultKind::kNone);
  EXPECT_EQ(hand_.felt.force, Vector3::Zero());
  run(50);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
}

TEST_F(ControlledStop, engage_at_start_does_not_wait_for_the_enabling_device) {
  settings_.limits.enable_buttons = 1;
  settings_.engage_at_start = true;
  run(3);
  hand_.state.buttons = 1;
  run(10);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
}

TEST_F(ControlledStop, the_end_of_a_script_or_of_the_daemon_is_not_a_fault) {
  engage();
  hand_.status = DeviceStatus::kEndOfScript;
  run();
  EXPECT_EQ(cycle_->state(), ServoState::kStopping);
  EXPECT_LE(run_out(), 100);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
  EXPECT_EQ(hand_.felt.force, Vector3::Zero());
  hand_.status = DeviceStatus::kOk;
  engage();
  cycle_->wind_down();
  EXPECT_TRUE(cycle_->drives());
  EXPECT_LE(run_out(), 100);
  EXPECT_FALSE(cycle_->drives());
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
}

/// A mass alone, with the encoders of a device: a handle that the hand has released.
class LooseHandle final : public Device {
 public:
  LooseHandle(double mass, double speed, double resolution) : mass_(mass), speed_(speed) {
    capability_.resolution = resolution;
  }
  const DeviceCapabilities& capabilities() const HAPTIC_REALTIME override { return capability_; }
  [[nodiscard]] DeviceStatus sense(DeviceState& state) HAPTIC_REALTIME override {
    // The wrench was held over a period.
    x_ += speed_ / kRate + 0.5 * force_ / mass_ / (kRate * kRate);
    speed_ += force_ / mass_ / kRate;
    const double step = capability_.resolution;
    const double read = step > 0.0 ? step * std::round(x_ / step) : x_;
    state.pose.position = {read, 0.0, 0.01};  // in front of the wall
    state.twist.linear = {kRate * (read - last_), 0.0, 0.0};
    last_ = read;
    return DeviceStatus::kOk;
  }
  [[nodiscard]] DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME override {
    force_ = wrench.force.x();
    return DeviceStatus::kOk;
  }
  double energy() const { return 0.5 * mass_ * speed_ * speed_; }

 private:
  DeviceCapabilities capability_{.name = "loose handle"};
  double mass_, speed_;
  double x_ = 0.0, last_ = 0.0, force_ = 0.0;
};

struct Braked {
  double before, after, most;  // J
  int cycles;
};

Braked brake_loose_handle(double mass, double speed, double resolution, double stop_s = 0.5) {
  VirtualClock clock;
  SpringWall wall(clock);
  LooseHandle handle(mass, speed, resolution);
  CommandChannel commands;
  MemorySink sink;
  HapticCycle::Settings settings;
  settings.engage_at_start = true;
  settings.limits.stop_s = stop_s;
  HapticCycle cycle(handle, wall, clock, commands, sink, settings);
  Schedule schedule(1'000'000, clock.now_ns() + 1'000'000);
  const auto run = [&] {
    clock.sleep_until(schedule.next_ns());
    cycle.run(schedule.take(clock.now_ns()), clock.now_ns());
  };
  for (int k = 0; k < 10; ++k) run();
  Braked braked{handle.energy(), 0.0, handle.energy(), 0};
  cycle.wind_down();
  while (cycle.drives()) {
    run();
    ++braked.cycles;
    braked.most = std::max(braked.most, handle.energy());
  }
  braked.after = handle.energy();
  return braked;
}

TEST(StopBrake, damps_a_handle_with_its_coefficient) {
  // b = 5 N·s/m on 0.3 kg for 0.1 s, held for a period, seen a period late.
  const Braked braked = brake_loose_handle(0.3, 0.5, 0.0, 0.1);
  EXPECT_EQ(braked.cycles, 101);
  const double left = std::sqrt(braked.after / braked.before);
  EXPECT_NEAR(left, std::exp(-5.0 * 0.1 / 0.3), 0.01);
  EXPECT_LE(braked.most, braked.before * (1.0 + 1e-12));
}

TEST(StopBrake, never_adds_energy_to_a_handle_however_light_or_coarse) {
  for (const double mass : {0.005, 0.02, 0.05, 0.3, 3.0}) {
    for (const double resolution : {0.0, 3.8e-5, 3e-4}) {
      for (const double speed : {0.02, 0.5, 3.0}) {
        SCOPED_TRACE(testing::Message() << mass << " kg, " << resolution << " m, " << speed);
        const Braked braked = brake_loose_handle(mass, speed, resolution);
        // At most one step's worth that shows the giving, f = b v over one period at the speed.
        const double step = 5.0 * speed * speed / kRate;
        EXPECT_LE(braked.most, braked.before + step);
        EXPECT_LE(braked.after, braked.before);
      }
    }
  }
}

TEST(StopBrake, ends_at_once_when_the_hand_has_come_to_rest) {
  const Braked braked = brake_loose_handle(0.05, 0.2, 0.0);
  // e^(-b t / m) = 1/20 after 30 ms.
  EXPECT_NEAR(braked.cycles, 31, 3);
  EXPECT_LE(braked.after, braked.before / 300);
}

TEST(StopBrake, its_coefficient_is_the_smallest_of_its_bounds) {
  PassivitySettings settings;
  DeviceCapabilities device;
  device.max_force = 8.0;
  EXPECT_EQ(StopBrake(settings, device, 1e-3).damping(), 5.0);           // the scene's
  EXPECT_NEAR(StopBrake(settings, device, 0.01).damping(), 2.5, 1e-12);  // half of 50 g a period
  device.resolution = 4e-4;
  EXPECT_NEAR(StopBrake(settings, device, 1e-3).damping(), 1.0, 1e-12);  // 0.4 N a count
  settings.max_damping = 0.0;
  EXPECT_EQ(StopBrake(settings, device, 1e-3).damping(), 0.0);
}

TEST(StopBrake, is_off_while_it_has_supplied_more_energy_than_it_absorbed) {
  StopBrake brake({}, {}, 1e-3);
  Pose hand;
  brake.begin(hand);
  Twist twist{{1.0, 0.0, 0.0}, Vector3::Zero()};
  EXPECT_NEAR(brake.wrench(twist, 8.0, 0.5).force.x(), -5.0, 1e-12);
  hand.position.x() = -1e-3;  // it went the other way
  brake.observe(hand);
  EXPECT_NEAR(brake.taken(), -5e-3, 1e-15);
  EXPECT_EQ(brake.wrench(twist, 8.0, 0.5).force, Vector3::Zero());
  brake.begin(hand);
  EXPECT_NEAR(brake.wrench(twist, 2.0, 0.5).force.x(), -2.0, 1e-12);  // no more than may act
  hand.position.x() += 1e-3;
  brake.observe(hand);
  EXPECT_NEAR(brake.taken(), 2e-3, 1e-15);
}

}  // namespace
}  // namespace haptic
