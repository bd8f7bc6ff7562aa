#include "rt/servo/command_channel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace haptic {
namespace {

ServoCommand engage(std::int64_t deadline_ns = std::numeric_limits<std::int64_t>::max(),
                    std::uint64_t epoch = 0) {
  ServoCommand command;
  command.kind = CommandKind::kEngage;
  command.deadline_ns = deadline_ns;
  command.epoch = epoch;
  return command;
}

CommandReply applied() {
  return {CommandAnswer::kApplied, ServoState::kEngaged, FaultKind::kNone, 0, 0.0, 0.0};
}

TEST(CommandChannel, one_command_at_a_time_is_served_and_answered) {
  CommandChannel channel;
  CommandReply reply{};
  EXPECT_EQ(channel.take(), nullptr);
  EXPECT_TRUE(channel.post(engage()));
  EXPECT_FALSE(channel.post(engage()));
  EXPECT_FALSE(channel.collect(reply));
  const ServoCommand* const command = channel.take();
  ASSERT_NE(command, nullptr);
  EXPECT_EQ(command->kind, CommandKind::kEngage);
  EXPECT_EQ(channel.take(), nullptr);  // taken once
  EXPECT_FALSE(channel.withdraw());    // too late
  channel.reply(applied());
  EXPECT_TRUE(channel.collect(reply));
  EXPECT_EQ(reply.state, ServoState::kEngaged);
  EXPECT_TRUE(channel.post(engage()));
}

TEST(CommandChannel, a_withdrawn_command_is_never_taken) {
  CommandChannel channel;
  ASSERT_TRUE(channel.post(engage()));
  EXPECT_TRUE(channel.withdraw());
  EXPECT_EQ(channel.take(), nullptr);
  EXPECT_TRUE(channel.post(engage()));
}

TEST(CommandChannel, a_command_is_refused_exactly_when_its_deadline_or_epoch_has_passed) {
  CommandChannel channel;
  EXPECT_EQ(channel.refusal_reason(engage(100), 100), CommandAnswer::kPending);
  EXPECT_EQ(channel.refusal_reason(engage(100), 101), CommandAnswer::kExpired);
  const std::uint64_t epoch = channel.epoch();
  EXPECT_EQ(channel.refusal_reason(engage(100, epoch), 0), CommandAnswer::kPending);
  channel.begin_epoch();
  EXPECT_EQ(channel.refusal_reason(engage(100, epoch), 0), CommandAnswer::kStateChanged);
  EXPECT_EQ(channel.refusal_reason(engage(100, 0), 0),
            CommandAnswer::kPending);  // whatever the state was
}

// On the way to idle nothing happens that an operator would have to look at again.
TEST(CommandChannel, an_epoch_ends_with_force_and_faults_and_not_with_homing) {
  CommandChannel channel;
  const auto epochs_of = [&](std::initializer_list<ServoState> states) {
    const std::uint64_t before = channel.epoch();
    for (const ServoState state : states) channel.note(state);
    return channel.epoch() - before;
  };
  using S = ServoState;
  EXPECT_EQ(epochs_of({S::kStarting, S::kHoming, S::kIdle, S::kIdle, S::kHoming, S::kIdle}), 0u);
  EXPECT_EQ(epochs_of({S::kEngaged, S::kEngaged}), 1u);
  EXPECT_EQ(epochs_of({S::kIdle}), 1u);
  EXPECT_EQ(epochs_of({S::kFault, S::kFault, S::kStarting, S::kIdle}), 2u);
}

TEST(CommandChannel, a_stop_passes_a_command_that_is_under_way) {
  CommandChannel channel;
  ASSERT_TRUE(channel.post(engage()));
  EXPECT_FALSE(channel.stop_pending());
  const std::uint64_t ticket = channel.request_stop();
  EXPECT_TRUE(channel.stop_pending());
  EXPECT_FALSE(channel.stop_served(ticket));
  channel.stop_done(channel.stops_wanted(), ServoState::kFault, FaultKind::kOperatorStop, 42);
  EXPECT_TRUE(channel.stop_served(ticket));
  EXPECT_FALSE(channel.stop_pending());
  const CommandReply reply = channel.stop_reply();
  EXPECT_EQ(reply.answer, CommandAnswer::kApplied);
  EXPECT_EQ(reply.state, ServoState::kFault);
  EXPECT_EQ(reply.fault, FaultKind::kOperatorStop);
  EXPECT_EQ(reply.cycle, 42u);
}

TEST(CommandChannel, a_stop_during_another_stop_is_served) {
  CommandChannel channel;
  channel.request_stop();
  const std::uint64_t seen = channel.stops_wanted();
  const std::uint64_t later = channel.request_stop();
  channel.stop_done(seen, ServoState::kFault, FaultKind::kOperatorStop, 1);
  EXPECT_FALSE(channel.stop_served(later));
  EXPECT_TRUE(channel.stop_pending());
}

// A loop, a supervisor that withdraws half of what it posts, and two threads that stop.
TEST(CommandChannel, nothing_is_lost_or_done_twice_among_threads) {
  CommandChannel channel;
  std::atomic<bool> end{false};
  std::uint64_t taken = 0, replied = 0, withdrawn = 0;
  std::thread loop([&] {
    while (!end) {
      if (channel.stop_pending()) {
        channel.stop_done(channel.stops_wanted(), ServoState::kFault, FaultKind::kOperatorStop, 0);
      }
      if (channel.take() == nullptr) continue;
      ++taken;
      channel.reply(applied());
    }
  });
  std::thread stopping([&] {
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t ticket = channel.request_stop();
      while (!channel.stop_served(ticket)) std::this_thread::yield();
    }
  });
  constexpr std::uint64_t kCommands = 2000;
  for (std::uint64_t i = 0; i < kCommands; ++i) {
    while (!channel.post(engage())) std::this_thread::yield();
    if (i % 2 == 0 && channel.withdraw()) {
      ++withdrawn;
      continue;
    }
    CommandReply reply{};
    while (!channel.collect(reply)) std::this_thread::yield();
    ++replied;
  }
  stopping.join();
  end = true;
  loop.join();
  EXPECT_EQ(replied + withdrawn, kCommands);
  EXPECT_EQ(taken, replied);
}

}  // namespace
}  // namespace haptic
