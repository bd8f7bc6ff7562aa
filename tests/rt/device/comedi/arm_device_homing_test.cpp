// Only an operator decides that an arm is in its calibration pose.
#include <gtest/gtest.h>

#include "tests/rt/device/comedi/arm_rig.h"

namespace haptic {
namespace {

void cycles(Rig& rig, int count) {
  for (int k = 0; k < count; ++k) ASSERT_EQ(rig.cycle({}, false), DeviceStatus::kOk);
}

TEST(ArmHoming, homing_of_an_arm_in_another_pose_ends) {
  Rig rig;
  cycles(rig, 60'000);  // still all the time
  EXPECT_FALSE(rig.state.homed);
  for (int k = 0; k < 100; ++k) (void)rig.cycle({{3.0, 3.0, 3.0}, Vector3::Zero()}, true);
  EXPECT_EQ(rig.board->largest_torque(), 0.0);
  rig.device->home();
  cycles(rig, 499);
  EXPECT_FALSE(rig.state.homed);  // hold_s = 0.5
  cycles(rig, 3);
  EXPECT_TRUE(rig.state.homed);
}

TEST(ArmHoming, only_rest_after_the_homing_command_counts) {
  Rig rig;
  cycles(rig, 2000);
  rig.device->home();
  cycles(rig, 100);
  rig.board->hand = [](std::size_t axis, const auto&) { return axis == 0 ? 0.02 : 0.0; };
  cycles(rig, 450);  // moved away while it was held to be still
  EXPECT_FALSE(rig.state.homed);
}

TEST(ArmHoming, a_repeated_homing_command_has_no_further_effect) {
  Rig rig;
  for (int k = 0; k < 60; ++k) {
    rig.device->home();
    cycles(rig, 10);
  }
  EXPECT_TRUE(rig.state.homed);
}

TEST(ArmHoming, a_homing_command_without_rest_expires) {
  Rig rig;
  int k = 0;
  rig.board->hand = [&k](std::size_t axis, const auto&) {  // back and forth
    return axis > 0 ? 0.0 : k % 200 < 100 ? 0.02 : -0.02;
  };
  rig.device->home();
  const int word = static_cast<int>(ArmDevice::kHomingConfirmation_s * kRate);
  for (; k < word + 10; ++k) {
    ASSERT_EQ(rig.cycle({}, false), DeviceStatus::kOk);
    ASSERT_FALSE(rig.state.homed);
  }
  // Then it comes to rest, at any position.
  rig.board->hand = nullptr;
  rig.board->mechanics.damping = 10.0;
  cycles(rig, 5000);
  EXPECT_FALSE(rig.state.homed);
}

TEST(ArmHoming, a_reset_cancels_the_homing_command) {
  Rig rig;
  rig.device->home();
  cycles(rig, 100);
  rig.device->restart();
  cycles(rig, 5000);
  EXPECT_FALSE(rig.state.homed);
}

TEST(ArmHoming, of_a_homed_arm_changes_nothing) {
  Rig rig;
  rig.home();
  rig.push = {0.2, 0.1, 0.1};
  for (int k = 0; k < 250; ++k) ASSERT_EQ(rig.cycle({}, false), DeviceStatus::kOk);
  const double before = rig.state.pose.position.norm();
  ASSERT_GT(before, 0.01);
  rig.board->hand = nullptr;
  rig.board->mechanics.damping = 10.0;
  rig.device->home();
  rig.device->restart();
  rig.device->home();
  cycles(rig, 2000);
  EXPECT_TRUE(rig.state.homed);
  EXPECT_GT(rig.state.pose.position.norm(), before);
}

TEST(ArmHoming, a_calibration_file_needs_no_homing_command) {
  Rig rig(woodenhaptics(), {}, 24, 500, std::vector<std::uint32_t>{500, 500, 500});
  cycles(rig, 1);
  EXPECT_TRUE(rig.state.homed);
}

// Counts that jumped are not those that the zero was taken from.
TEST(ArmHoming, an_encoder_jump_invalidates_the_zero) {
  for (const bool from_file : {false, true}) {
    std::optional<std::vector<std::uint32_t>> counts;
    if (from_file) counts = std::vector<std::uint32_t>{500, 500, 500};
    Rig rig(woodenhaptics(), {}, 24, 500, counts);
    rig.home();
    rig.board->hand = nullptr;
    rig.board->script.push_back(
        {rig.board->exchanges(), kForEver, FakeArmBoard::Fault::kJump, 1, 2000});
    (void)rig.cycle({}, false);
    ASSERT_EQ(rig.cycle({}, false), DeviceStatus::kImplausible);
    rig.device->restart();
    cycles(rig, 2000);
    EXPECT_FALSE(rig.state.homed);
    rig.device->home();
    cycles(rig, 600);
    EXPECT_TRUE(rig.state.homed);
    EXPECT_LT(rig.state.pose.position.norm(), 1e-12);
  }
}

TEST(ArmHoming, a_gap_in_the_cycles_does_not_count_as_rest) {
  Rig rig;
  cycles(rig, 10);
  rig.device->home();
  cycles(rig, 2);
  ASSERT_EQ(rig.cycle({}, false, 2'000'000'000), DeviceStatus::kOk);
  ASSERT_EQ(rig.cycle({}, false), DeviceStatus::kOk);
  EXPECT_FALSE(rig.state.homed);
}

}  // namespace
}  // namespace haptic
