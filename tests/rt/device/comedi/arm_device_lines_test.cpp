// An arm's digital lines: the heartbeat for a safety relay, the brake, a stop input with two
// channels.
#include <gtest/gtest.h>

#include "tests/rt/device/comedi/arm_rig.h"

namespace haptic {
namespace {

using Fault = FakeArmBoard::Fault;
const Wrench kPull{{1.0, 0.0, 0.0}, Vector3::Zero()};

TEST(ArmHeartbeat, one_edge_for_every_cycle_in_every_state) {
  Rig rig;
  const auto edges = [&](int cycles, bool enabled) {
    const unsigned before = rig.board->heartbeats();
    for (int k = 0; k < cycles; ++k) (void)rig.cycle(enabled ? kPull : Wrench{}, enabled);
    return rig.board->heartbeats() - before;
  };
  EXPECT_EQ(edges(100, false), 100u);  // not homed
  rig.home();
  EXPECT_EQ(edges(100, false), 100u);  // idle
  EXPECT_EQ(edges(100, true), 100u);
  rig.board->script.push_back({rig.board->exchanges(), rig.board->exchanges() + 50, Fault::kStop});
  EXPECT_EQ(edges(100, true), 100u);  // stopped
  // A loop that senses and never gets to its end.
  const unsigned before = rig.board->heartbeats();
  for (int k = 0; k < 100; ++k) (void)rig.device->sense(rig.state);
  EXPECT_EQ(rig.board->heartbeats(), before);
}

struct BrakeRig : Rig {
  static ComediArm braked() {
    ComediArm read = woodenhaptics();
    read.board.brake_channel = 3;
    read.board.brake_release_s = 0.2;
    return read;
  }
  BrakeRig() : Rig(braked()) {
    home();
    board->mechanics.inertia = 1e6;
  }
  /// Until the brake is released. @returns cycles that it took
  int engage() {
    for (int k = 1; k < 1000; ++k) {
      EXPECT_EQ(cycle(kPull, true), DeviceStatus::kOk);
      if (board->brake_released()) return k;
    }
    return 0;
  }
};

TEST(ArmBrake, is_released_after_the_motors_were_on_for_its_release_time) {
  BrakeRig rig;
  EXPECT_FALSE(rig.board->brake_released());
  EXPECT_NEAR(rig.engage(), 201, 1);  // 0.2 s after the first output
  EXPECT_TRUE(rig.board->amplifiers_on());
}

TEST(ArmBrake, is_applied_in_the_exchange_that_switches_the_motors_off) {
  {
    BrakeRig rig;
    rig.engage();
    (void)rig.cycle({}, false);  // let go
    EXPECT_FALSE(rig.board->brake_released());
    for (int k = 0; k < 150; ++k) (void)rig.cycle(kPull, true);
    EXPECT_FALSE(rig.board->brake_released());  // its time restarts
  }
  for (const auto& [fault, amount] :
       {std::pair{Fault::kStop, 0}, std::pair{Fault::kStopOneChannel, 0},
        std::pair{Fault::kIoError, 0}, std::pair{Fault::kJump, 2000}}) {
    BrakeRig rig;
    rig.engage();
    rig.board->script.push_back({rig.board->exchanges(), kForEver, fault, 0, amount});
    (void)rig.cycle(kPull, true);
    (void)rig.cycle(kPull, true);
    EXPECT_FALSE(rig.board->brake_released()) << static_cast<int>(fault);
    EXPECT_FALSE(rig.board->amplifiers_on());
  }
}

TEST(ArmBrake, a_joint_that_the_brake_holds_is_not_stuck) {
  ComediArm read = BrakeRig::braked();
  read.board.brake_release_s = 0.5;
  for (ArmAxis& axis : read.arm.axes) {
    axis.encoder.stuck_s = 0.3;
    axis.encoder.stuck_torque = 1e-4;
  }
  Rig rig(read);
  rig.home();
  rig.board->mechanics.inertia = 1e6;  // the brake
  int held = 0, free = 0;
  DeviceStatus status = DeviceStatus::kOk;
  while (status == DeviceStatus::kOk && free < 1000) {
    status = rig.cycle(kPull, true);
    ++(rig.board->brake_released() ? free : held);
  }
  EXPECT_NEAR(held, 500, 2);
  EXPECT_EQ(status, DeviceStatus::kImplausible);
  EXPECT_NEAR(free, 300, 5);
}

struct StopRig : Rig {
  StopRig() {
    home();
    board->hand = nullptr;
  }
  void fail(Fault fault, std::uint64_t exchanges) {
    const std::uint64_t now = board->exchanges();
    board->script.push_back({now, now + exchanges, fault});
  }
  void run(int cycles) {
    for (int k = 0; k < cycles; ++k) (void)cycle(kPull, true);
  }
};

TEST(ArmStopChannels, either_stops_and_both_may_take_a_moment) {
  StopRig rig;
  rig.run(5);
  ASSERT_TRUE(rig.board->amplifiers_on());
  rig.fail(Fault::kStopOneChannel, 30);
  rig.run(2);
  EXPECT_TRUE(rig.state.emergency_stop);
  EXPECT_FALSE(rig.board->amplifiers_on());
  rig.run(28);
  rig.fail(Fault::kStop, 20);  // the other one, 30 ms later
  rig.run(15);
  EXPECT_TRUE(rig.state.emergency_stop);
  EXPECT_FALSE(rig.state.stop_channels_disagree);
}

TEST(ArmStopChannels, that_disagree_for_too_long_are_reported_until_both_stop) {
  StopRig rig;
  rig.fail(Fault::kStopOneChannel, 100);
  int cycles = 0;
  while (!rig.state.stop_channels_disagree) {
    (void)rig.cycle(kPull, true);
    ASSERT_LT(++cycles, 100);
  }
  EXPECT_NEAR(cycles, 53, 1);  // 50 ms after the first reading that shows it
  rig.run(200);
  EXPECT_FALSE(rig.state.emergency_stop);  // they agree again: one of them may be welded shut
  EXPECT_TRUE(rig.state.stop_channels_disagree);
  EXPECT_FALSE(rig.board->amplifiers_on());
  rig.fail(Fault::kStop, 10);
  rig.run(20);
  EXPECT_FALSE(rig.state.stop_channels_disagree);
  EXPECT_TRUE(rig.board->amplifiers_on());
}

TEST(ArmStopChannels, their_disagreement_is_measured_in_elapsed_time) {
  StopRig rig;
  rig.fail(Fault::kStopOneChannel, 100);
  (void)rig.cycle({}, false);
  (void)rig.cycle({}, false);
  EXPECT_FALSE(rig.state.stop_channels_disagree);
  (void)rig.cycle({}, false, 60'000'000);
  EXPECT_TRUE(rig.state.stop_channels_disagree);
}

}  // namespace
}  // namespace haptic
