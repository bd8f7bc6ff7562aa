#include "host/offline/replayed_commands.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace haptic {
namespace {

EventRecord event(std::uint64_t number, std::uint64_t cycle, CommandKind command) {
  EventRecord record{};
  record.number = number;
  record.cycle = cycle;
  record.kind = EventKind::kCommand;
  record.command = command;
  record.answer = CommandAnswer::kApplied;
  record.executed = 1;
  return record;
}

EventRecord set(std::uint64_t number, std::uint64_t cycle, const char* key, double value) {
  EventRecord record = event(number, cycle, CommandKind::kSet);
  std::strncpy(record.key, key, sizeof record.key - 1);
  record.value = value;
  return record;
}

TEST(MissingEvents, are_found_in_front_and_between) {
  const EventRecord a = event(0, 10, CommandKind::kEngage), c = event(2, 30, CommandKind::kReset);
  EXPECT_FALSE(missing_events({}, 0));
  EXPECT_FALSE(missing_events({a, event(1, 20, CommandKind::kReset), c}, 0));
  const auto between = missing_events({a, c}, 0);
  ASSERT_TRUE(between);
  EXPECT_EQ(between->first, 1u);
  EXPECT_EQ(between->last, 1u);
  EXPECT_EQ(between->from_cycle, 11u);  // one command a cycle
  const auto front = missing_events({c}, 0);
  ASSERT_TRUE(front);
  EXPECT_EQ(front->from_cycle, 0u);
}

TEST(MissingEvents, are_also_the_executed_commands_beyond_the_quota) {
  const EventRecord a = event(0, 10, CommandKind::kEngage);
  EventRecord left_out = event(1, 20, CommandKind::kReset);
  left_out.kind = EventKind::kLeftOut;
  const auto missing = missing_events({a, left_out}, 0);
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->from_cycle, 11u);
  left_out.executed = 0;  // refused commands and marks: the world is the same
  EXPECT_FALSE(missing_events({a, left_out}, 0));
}

// What happened before the scene of a log does not belong to it.
TEST(MissingEvents, begin_with_the_change_to_the_scene) {
  EventRecord change = event(7, 99, CommandKind::kLoad);
  change.kind = EventKind::kScene;
  change.executed = 0;
  EXPECT_FALSE(missing_events({change, set(8, 120, "a", 1.0)}, 100));
  EXPECT_EQ(missing_events({change, set(9, 120, "a", 1.0)}, 100)->from_cycle, 100u);
}

/// A world that notes what was done to it.
class NotingWorld final : public World {
 public:
  WorldStatus step(const DeviceState&, WorldOutput&) HAPTIC_REALTIME override {
    return WorldStatus::kOk;
  }
  void reset() HAPTIC_REALTIME override { ++resets; }
  HandCoupling hand_coupling() const HAPTIC_REALTIME override { return {}; }
  const std::vector<BodyInfo>& bodies() const override { return bodies_; }
  const StateLayout& state_layout() const override { return layout_; }
  std::span<const double> state(std::size_t) const HAPTIC_REALTIME override { return {}; }
  std::span<const Parameter> parameters() const HAPTIC_REALTIME override { return kParameters; }
  double parameter(std::size_t) const HAPTIC_REALTIME override { return value; }
  bool set_parameter(std::size_t, double now) HAPTIC_REALTIME override {
    if (now > 10.0) return false;
    value = now;
    return true;
  }

  void limit_wrench(double most_force, double most_torque) HAPTIC_REALTIME override {
    force = most_force;
    torque = most_torque;
  }

  int resets = 0;
  double value = 0.0, force = 0.0, torque = 0.0;

 private:
  static constexpr Parameter kParameters[] = {{"soft", 0.0, 100.0}};
  std::vector<BodyInfo> bodies_;
  StateLayout layout_;
};

TEST(ReplayedCommands, come_in_their_cycles_and_say_what_they_did) {
  NotingWorld world;
  EventRecord refused = set(3, 4, "soft", 9.0);
  refused.answer = CommandAnswer::kOutOfRange;
  // As the supervisor records them: a stop after a command of a later cycle.
  ReplayedCommands commands(
      {set(0, 0, "soft", 1.0), set(1, 4, "soft", 2.0), event(2, 3, CommandKind::kReset), refused,
       set(4, 5, "limits.force", 3.0), set(5, 6, "limits.ramp_s", 0.2)},
      world);
  commands.apply(0);
  EXPECT_EQ(world.value, 1.0);
  commands.apply(1);
  commands.apply(2);
  EXPECT_EQ(commands.done().size(), 1u);
  commands.apply(3);
  EXPECT_EQ(world.resets, 1);
  EXPECT_EQ(world.value, 1.0);
  commands.apply(4);
  EXPECT_EQ(world.value, 2.0);
  commands.apply(5);
  EXPECT_EQ(world.force, 3.0);  // the coupling gives no more
  commands.apply(6);
  ASSERT_EQ(commands.done().size(), 5u);
  EXPECT_TRUE(commands.done()[2].of_world);
  EXPECT_TRUE(commands.done()[3].of_world);
  EXPECT_FALSE(commands.done()[4].of_world);  // the servo's
  EXPECT_EQ(commands.done()[4].cycle, 6u);
  EXPECT_NE(commands.done()[1].text.find("reset by user"), std::string::npos);
}

TEST(ReplayedCommands, that_are_refused_now_end_the_replay_by_name) {
  NotingWorld world;
  ReplayedCommands commands({set(0, 6, "soft", 11.0)}, world);
  try {
    commands.apply(6);
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("cycle 6: set soft 11"), std::string::npos);
  }
  EventRecord pull = event(0, 6, CommandKind::kPull);
  std::strcpy(pull.key, "cow");
  EXPECT_ANY_THROW(ReplayedCommands({pull}, world));
}

}  // namespace
}  // namespace haptic
