#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "lab/samples/spring_wall.h"
#include "rt/device/servo_limits.h"
#include "rt/servo/haptic_cycle.h"

namespace haptic {

/// Number of a limit in commands and telemetry.
consteval std::uint32_t servo_parameter(std::string_view name) {
  for (std::uint32_t i = 0; i < kServoParameterCount; ++i) {
    if (kServoParameters[i].name == name) return i;
  }
  throw "the servo has no parameter of this name";
}

/// A cycle on its wall, driven slot by slot in virtual time. The world wants 1 N along z.
class CycleFixture : public testing::Test {
 protected:
  CycleFixture() { settings_.limits.ramp_s = 0.0; }

  void start() {
    cycle_.emplace(hand_, wall_, clock_, commands_, sink_, settings_);
    schedule_.emplace(1'000'000, clock_.now_ns() + 1'000'000);
  }
  void run(int cycles = 1) {
    if (!cycle_) start();
    for (int i = 0; i < cycles; ++i) {
      clock_.sleep_until(schedule_->next_ns());
      const std::int64_t woke = clock_.now_ns();
      cycle_->run(schedule_->take(woke), woke);
    }
  }
  CommandReply command(CommandKind kind, std::uint32_t parameter = 0, double value = 0.0) {
    EXPECT_TRUE(commands_.post({kind, parameter, value}));
    run();
    CommandReply reply{};
    EXPECT_TRUE(commands_.collect(reply));
    return reply;
  }
  void engage() {
    run();
    ASSERT_EQ(command(CommandKind::kEngage).answer, CommandAnswer::kApplied);
    ASSERT_EQ(cycle_->state(), ServoState::kEngaged);
  }
  std::uint64_t faults(FaultKind kind) {
    return sink_.statistics().counters.faults[static_cast<std::size_t>(kind)];
  }
  void expect_fault(FaultKind kind) {
    EXPECT_EQ(cycle_->state(), ServoState::kFault);
    EXPECT_EQ(cycle_->sample().fault, kind);
    EXPECT_EQ(faults(kind), 1u);
    EXPECT_EQ(hand_.felt.force, Vector3::Zero());
    EXPECT_EQ(hand_.felt.torque, Vector3::Zero());
  }

  VirtualClock clock_;
  SpringWall wall_{clock_};
  ScriptedHand hand_;
  CommandChannel commands_;
  MemorySink sink_;
  HapticCycle::Settings settings_;
  std::optional<HapticCycle> cycle_;
  std::optional<Schedule> schedule_;
};

}  // namespace haptic
