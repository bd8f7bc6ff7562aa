// A board that is disconnected and returns, in virtual time, with the daemon's cycle.
#include "rt/device/comedi/returning_board.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "lab/samples/spring_wall.h"
#include "rt/servo/haptic_cycle.h"
#include "shared/error.h"
#include "tests/rt/device/comedi/arm_rig.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

using Fault = FakeArmBoard::Fault;
constexpr std::uint32_t kPatience = 100;

struct ReplugRig {
  ReplugRig() {
    auto first = fake();
    auto returning = std::make_unique<ReturningBoard>(
        std::move(first), [this] { return again(); }, kPatience);
    seat = returning.get();
    device = std::make_unique<ArmDevice>(read.arm, read.board, std::move(returning), kRate,
                                         std::nullopt, &clock);
    wall.disturbance = 0.5;
    HapticCycle::Settings settings;
    settings.limits.ramp_s = 0.0;
    cycle.emplace(*device, wall, clock, commands, sink, settings);
    schedule.emplace(1'000'000, clock.now_ns() + 1'000'000);
  }

  std::unique_ptr<FakeArmBoard> fake() {
    auto made = std::make_unique<FakeArmBoard>(read.arm, 1.0 / kRate, start, 24, first_count);
    board = made.get();
    return made;
  }
  std::unique_ptr<ArmBoard> again() {
    ++attempts;
    if (away) throw OperationError("not there");
    auto made = fake();
    made->make_safe();
    return made;
  }

  void run(int cycles) {
    for (int k = 0; k < cycles; ++k) {
      clock.sleep_until(schedule->next_ns());
      const std::int64_t woke = clock.now_ns();
      const NoAllocation guard;
      cycle->run(schedule->take(woke), woke);
    }
  }
  CommandAnswer command(CommandKind kind) {
    EXPECT_TRUE(commands.post({kind, 0, 0.0}));
    run(1);
    CommandReply reply{};
    EXPECT_TRUE(commands.collect(reply));
    return reply.answer;
  }
  void engage() {
    run(1);
    EXPECT_EQ(command(CommandKind::kHome), CommandAnswer::kApplied);
    run(kHoming);
    EXPECT_EQ(command(CommandKind::kEngage), CommandAnswer::kApplied);
    run(5);
    ASSERT_EQ(cycle->state(), ServoState::kEngaged);
    ASSERT_TRUE(board->amplifiers_on());
  }
  void unplug() {
    away = true;
    board->script.push_back({board->exchanges(), kForEver, Fault::kGone});
  }

  ComediArm read = woodenhaptics();
  std::vector<double> start = read.arm.calibration_pose;
  std::uint32_t first_count = 0;
  bool away = false;
  int attempts = 0;
  FakeArmBoard* board = nullptr;
  ReturningBoard* seat = nullptr;
  VirtualClock clock;
  std::unique_ptr<ArmDevice> device;
  SpringWall wall{clock};
  CommandChannel commands;
  MemorySink sink;
  std::optional<HapticCycle> cycle;
  std::optional<Schedule> schedule;
};

TEST(ReturningBoard, unplug_replug_reset_home_engage) {
  ReplugRig rig;
  rig.engage();
  rig.unplug();
  rig.run(1);
  EXPECT_EQ(rig.cycle->state(), ServoState::kFault);
  EXPECT_EQ(rig.cycle->sample().fault, FaultKind::kDeviceLost);
  EXPECT_TRUE(rig.seat->tend().empty());  // not counted as lost yet
  rig.run(kPatience);
  EXPECT_NE(rig.seat->tend().find("not there"), std::string::npos);
  EXPECT_TRUE(rig.seat->tend().empty());  // says a thing once
  EXPECT_EQ(rig.attempts, 2);
  rig.run(1000);

  // Connected again with its counters reset, and the arm in another pose.
  rig.away = false;
  rig.first_count = 0x800000;
  rig.start[0] += 0.3;
  EXPECT_NE(rig.seat->tend().find("the board is connected again"), std::string::npos);
  rig.run(2000);
  EXPECT_EQ(rig.seat->connections(), 2u);
  EXPECT_EQ(rig.cycle->state(), ServoState::kFault);  // latched, though the device is back
  EXPECT_FALSE(rig.device->homed());                  // at rest, but its pose is not confirmed
  EXPECT_EQ(rig.board->largest_torque(), 0.0);
  EXPECT_TRUE(rig.board->outputs_are_zero());

  EXPECT_EQ(rig.command(CommandKind::kReset), CommandAnswer::kApplied);
  EXPECT_EQ(rig.cycle->state(), ServoState::kHoming);
  EXPECT_EQ(rig.command(CommandKind::kEngage), CommandAnswer::kWrongState);
  rig.run(2000);
  EXPECT_EQ(rig.cycle->state(), ServoState::kHoming);  // a reset says nothing about the pose
  EXPECT_EQ(rig.command(CommandKind::kHome), CommandAnswer::kApplied);
  rig.run(kHoming);
  EXPECT_EQ(rig.cycle->state(), ServoState::kIdle);
  EXPECT_EQ(rig.board->largest_torque(), 0.0);
  EXPECT_LT(std::abs(rig.cycle->sample().device_pose.position_m[0]), 1e-12);
  EXPECT_EQ(rig.command(CommandKind::kEngage), CommandAnswer::kApplied);
  rig.run(5);
  EXPECT_TRUE(rig.board->amplifiers_on());
  EXPECT_GT(rig.board->largest_torque(), 0.0);
}

TEST(ReturningBoard, a_reset_while_it_is_away_does_not_home_it_later) {
  ReplugRig rig;
  rig.engage();
  rig.unplug();
  rig.run(200);
  (void)rig.seat->tend();
  EXPECT_EQ(rig.command(CommandKind::kReset), CommandAnswer::kApplied);
  rig.run(10);
  EXPECT_EQ(rig.cycle->state(), ServoState::kFault);
  rig.away = false;
  (void)rig.seat->tend();
  rig.run(2000);
  EXPECT_FALSE(rig.device->homed());
}

// The reset and the board's return fall into one cycle: it is still a fault, not a homing that
// nothing would ever end.
TEST(ReturningBoard, a_reset_in_the_cycle_of_its_return_is_too_early) {
  ReplugRig rig;
  rig.engage();
  rig.unplug();
  rig.run(200);
  (void)rig.seat->tend();
  rig.away = false;
  (void)rig.seat->tend();
  EXPECT_EQ(rig.command(CommandKind::kReset), CommandAnswer::kApplied);
  EXPECT_EQ(rig.cycle->state(), ServoState::kFault);
  rig.run(2000);
  EXPECT_EQ(rig.cycle->state(), ServoState::kFault);
  EXPECT_FALSE(rig.device->homed());
  EXPECT_EQ(rig.command(CommandKind::kHome), CommandAnswer::kWrongState);
  EXPECT_EQ(rig.command(CommandKind::kReset), CommandAnswer::kApplied);
  EXPECT_EQ(rig.command(CommandKind::kHome), CommandAnswer::kApplied);
  rig.run(kHoming);
  EXPECT_EQ(rig.cycle->state(), ServoState::kIdle);
  EXPECT_TRUE(rig.device->homed());
}

TEST(ReturningBoard, a_short_failure_keeps_board_counts_and_homing) {
  ReplugRig rig;
  rig.engage();
  const std::uint64_t now = rig.board->exchanges();
  rig.board->script.push_back({now, now + kPatience - 1, Fault::kIoError});
  rig.run(2 * kPatience);
  EXPECT_TRUE(rig.seat->tend().empty());
  EXPECT_EQ(rig.attempts, 0);
  EXPECT_EQ(rig.seat->connections(), 1u);
  EXPECT_TRUE(rig.device->homed());
  EXPECT_EQ(rig.cycle->state(), ServoState::kFault);
}

TEST(ReturningBoard, another_board_is_not_accepted) {
  ReplugRig rig;
  rig.engage();
  rig.unplug();
  rig.run(200);
  rig.away = false;
  rig.read.arm.motors = 2;  // of what opens next
  EXPECT_NE(rig.seat->tend().find("another board"), std::string::npos);
  rig.run(100);
  EXPECT_EQ(rig.seat->connections(), 1u);
}

}  // namespace
}  // namespace haptic
