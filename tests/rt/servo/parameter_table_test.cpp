// The ranges of `haptic set`, and the cycle when an operator changes limits within them.
#include "rt/servo/parameter_table.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/rt/device/limited_arm.h"
#include "tests/rt/servo/cycle_fixture.h"

namespace haptic {
namespace {

/// A world that is nothing but a coupling.
class CouplingWorld final : public World {
 public:
  WorldStatus step(const DeviceState&, WorldOutput&) HAPTIC_REALTIME override {
    return WorldStatus::kOk;
  }
  void reset() HAPTIC_REALTIME override {}
  HandCoupling hand_coupling() const HAPTIC_REALTIME override {
    HandCoupling law;
    law.length_scale = 4.0;
    return law;
  }
  const std::vector<BodyInfo>& bodies() const override { return bodies_; }
  const StateLayout& state_layout() const override { return layout_; }
  std::span<const double> state(std::size_t) const HAPTIC_REALTIME override { return {}; }
  std::span<const Parameter> parameters() const HAPTIC_REALTIME override { return kParameters; }
  double parameter(std::size_t index) const HAPTIC_REALTIME override { return values[index]; }
  bool set_parameter(std::size_t index, double value) HAPTIC_REALTIME override {
    values[index] = value;
    return true;
  }
  std::array<double, 2> values{100.0, 0.5};

 private:
  static constexpr std::array<Parameter, 2> kParameters = {
      {{"coupling.stiffness", 1.0, 1e5, false, FeltAs::kStiffness},
       {"coupling.rotational_stiffness", 1e-4, 1e2, false, FeltAs::kRotationalStiffness}}};
  std::vector<BodyInfo> bodies_;
  StateLayout layout_;
};

TEST(ParameterTable, a_coupling_ends_at_what_the_device_renders) {
  CouplingWorld world;
  const auto largest = [&](const DeviceCapabilities& device, double rate, const char* key) {
    const ParameterTable table(world, device, rate);
    return table.entries()[*table.find(key)].maximum;
  };
  // Four simulated metres a metre of hand: a quarter of the stiffness is felt as all of it.
  EXPECT_EQ(largest(limited_arm(), 1000.0, "coupling.stiffness"), 200.0);
  EXPECT_EQ(largest(limited_arm(), 4000.0, "coupling.stiffness"), 800.0);
  EXPECT_EQ(largest(limited_arm(), 1000.0, "coupling.rotational_stiffness"), 1e2);
  DeviceCapabilities six = limited_arm();
  six.actuated_freedoms = 6;
  EXPECT_NEAR(largest(six, 1000.0, "coupling.rotational_stiffness"), 2.0, 1e-12);
  // What the scene itself has may come back.
  world.values = {300.0, 3.0};
  EXPECT_EQ(largest(limited_arm(), 1000.0, "coupling.stiffness"), 300.0);
  EXPECT_EQ(largest(six, 1000.0, "coupling.rotational_stiffness"), 3.0);
}

TEST(ParameterTable, limits_end_at_the_devices_own) {
  CouplingWorld world;
  const ParameterTable table(world, limited_arm(), 1000.0);
  const auto range = [&](const char* key) { return table.entries()[*table.find(key)]; };
  EXPECT_EQ(range("limits.force").maximum, 5.0);
  EXPECT_EQ(range("limits.torque").maximum, 0.0);
  EXPECT_EQ(range("limits.ramp_s").maximum, 60.0);
  EXPECT_EQ(range("limits.slew_N_per_s").maximum, 4000.0);
  EXPECT_EQ(range("limits.power").maximum, 3.0);
  EXPECT_EQ(range("limits.impulse").maximum, 9.0);
  EXPECT_EQ(range("limits.speed").maximum, 2.0);
  EXPECT_EQ(range("limits.workspace_radius").maximum, 0.2);
  EXPECT_EQ(table.size(), kServoParameterCount + 2u);
  EXPECT_FALSE(
      table.contains(servo_parameter("limits.force"), std::numeric_limits<double>::quiet_NaN()));
}

class CycleLimits : public CycleFixture {
 protected:
  CycleLimits() {
    hand_.capability = limited_arm();
    settings_.limits.ramp_s = 0.0;
  }
};

TEST_F(CycleLimits, the_limits_of_the_device_apply_without_limits_in_the_scene) {
  hand_.state.pose.position.z() = -0.02;  // wants 20 N
  engage();
  EXPECT_NEAR(hand_.felt.force.z(), 4.0, 1e-12);  // by its slew
  run();
  EXPECT_NEAR(hand_.felt.force.z(), 5.0, 1e-12);
  hand_.state.twist.linear.x() = 2.1;
  run();
  expect_fault(FaultKind::kSpeedLimit);
}

TEST_F(CycleLimits, pressing_at_the_limit_for_too_long_is_a_fault) {
  hand_.state.pose.position.z() = -0.02;
  engage();
  run(1790);  // 5 N for 1.79 s: 8.95 N·s
  EXPECT_EQ(cycle_->state(), ServoState::kEngaged);
  run(20);
  expect_fault(FaultKind::kImpulseLimit);
}

TEST_F(CycleLimits, an_operator_sets_within_the_devices_limits) {
  engage();
  const auto set = [&](std::uint32_t parameter, double value) {
    return command(CommandKind::kSet, parameter, value).answer;
  };
  EXPECT_EQ(set(servo_parameter("limits.speed"), 1.5), CommandAnswer::kApplied);
  EXPECT_EQ(set(servo_parameter("limits.speed"), 2.1), CommandAnswer::kOutOfRange);
  EXPECT_EQ(set(servo_parameter("limits.power"), 3.5), CommandAnswer::kOutOfRange);
  EXPECT_EQ(set(servo_parameter("limits.impulse"), 9.1), CommandAnswer::kOutOfRange);
  EXPECT_EQ(set(servo_parameter("limits.workspace_radius"), 0.3), CommandAnswer::kOutOfRange);
  EXPECT_EQ(set(servo_parameter("limits.slew_N_per_s"), 1e9), CommandAnswer::kOutOfRange);
  EXPECT_EQ(set(servo_parameter("limits.power"), 1.0), CommandAnswer::kApplied);
  hand_.state.twist.linear.z() = 1.6;
  EXPECT_EQ(set(servo_parameter("limits.ramp_s"), 0.25), CommandAnswer::kApplied);
  expect_fault(FaultKind::kSpeedLimit);
  hand_.state.twist.linear.setZero();
  EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kApplied);
  run(static_cast<int>(kServoParameterCount) + 1);
  EXPECT_EQ(sink_.parameters[servo_parameter("limits.speed")], 1.5);
  EXPECT_EQ(sink_.parameters[servo_parameter("limits.power")], 1.0);
  EXPECT_EQ(sink_.parameters[servo_parameter("limits.ramp_s")], 0.25);
}

TEST_F(CycleLimits, a_limit_that_the_engaged_hand_breaks_is_refused) {
  hand_.state.pose.position.x() = 0.1;
  engage();
  EXPECT_EQ(command(CommandKind::kSet, servo_parameter("limits.workspace_radius"), 0.05).answer,
            CommandAnswer::kOutOfReach);
  EXPECT_EQ(cycle_->state(), ServoState::kEngaged);
  EXPECT_EQ(command(CommandKind::kRelease).answer, CommandAnswer::kApplied);
  EXPECT_EQ(command(CommandKind::kSet, servo_parameter("limits.workspace_radius"), 0.05).answer,
            CommandAnswer::kApplied);
  EXPECT_EQ(command(CommandKind::kEngage).answer, CommandAnswer::kOutOfReach);
}

TEST_F(CycleLimits, a_lowered_force_limit_is_approached_at_the_slew_limit) {
  settings_.limits.slew_N_per_s = 100.0;
  hand_.state.pose.position.z() = -0.02;
  engage();
  run(60);
  ASSERT_NEAR(hand_.felt.force.z(), 5.0, 1e-9);
  ASSERT_EQ(command(CommandKind::kSet, servo_parameter("limits.force"), 1.0).answer,
            CommandAnswer::kApplied);
  for (int k = 1; k <= 40; ++k) {
    ASSERT_NEAR(hand_.felt.force.z(), 5.0 - 0.1 * k, 1e-9);
    run();
  }
  EXPECT_NEAR(hand_.felt.force.z(), 1.0, 1e-9);
}

}  // namespace
}  // namespace haptic
