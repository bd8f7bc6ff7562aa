#include "shared/ipc/command_mailbox.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "shared/error.h"
#include "shared/ipc/command_client.h"
#include "shared/ipc/command_server.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

constexpr CommandReply kApplied{
    CommandAnswer::kApplied, ServoState::kEngaged, FaultKind::kNone, 0, 0.0, 0.0};

/// Serves until stopped; every well-formed command is applied and remembered.
class Daemon {
 public:
  explicit Daemon(CommandServer& server)
      : thread_([this, &server] {
          while (!stop_) {
            while (const auto request = server.poll()) {
              seen_.push_back(request->command);
              server.answer(*request, kApplied);
            }
            std::this_thread::yield();
          }
        }) {}
  ~Daemon() { finish(); }
  const std::vector<Command>& finish() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return seen_;
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<Command> seen_;
  std::thread thread_;
};

Command set_command(const char* key, double value) {
  Command command{};
  command.kind = CommandKind::kSet;
  command.value = value;
  std::strncpy(command.key, key, Command::kKeyLength - 1);
  return command;
}

Command load_command(const char* path) {
  Command command{};
  command.kind = CommandKind::kLoad;
  std::strncpy(command.path, path, Command::kPathLength - 1);
  return command;
}

TEST(CommandMailbox, a_command_is_acknowledged) {
  const std::string name = test_name("ack");
  EXPECT_THROW(CommandClient{name}, OperationError);
  CommandServer server(name, 1);
  Daemon daemon(server);
  CommandClient client(name);
  const CommandReply reply = client.send(CommandKind::kSet, "coupling.stiffness", 250.0);
  EXPECT_EQ(reply.answer, CommandAnswer::kApplied);
  EXPECT_EQ(reply.state, ServoState::kEngaged);
  EXPECT_EQ(client.send(CommandKind::kEngage).answer, CommandAnswer::kApplied);
  const auto& seen = daemon.finish();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_STREQ(seen[0].key, "coupling.stiffness");
  EXPECT_EQ(seen[0].value, 250.0);
  EXPECT_EQ(server.garbage(), 0u);
  for (const CommandSlot& slot : server.mailbox().slots) EXPECT_EQ(slot.word, 0u);
}

TEST(CommandMailbox, more_writers_than_slots_are_all_served_once) {
  const std::string name = test_name("crowd");
  CommandServer server(name, 1);
  Daemon daemon(server);
  constexpr int kWriters = 24, kEach = 20;
  std::atomic<int> applied{0};
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      CommandClient client(name);
      for (int i = 0; i < kEach; ++i) {
        const auto reply = client.send(CommandKind::kSet, "k", w * kEach + i, 20'000);
        if (reply.answer == CommandAnswer::kApplied) ++applied;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const auto& seen = daemon.finish();
  EXPECT_EQ(applied, kWriters * kEach);
  std::set<double> values;
  for (const Command& command : seen) values.insert(command.value);
  EXPECT_EQ(seen.size(), std::size_t{kWriters * kEach});
  EXPECT_EQ(values.size(), seen.size());
  EXPECT_EQ(server.garbage(), 0u);
}

TEST(CommandMailbox, an_unanswered_command_is_withdrawn) {
  const std::string name = test_name("timeout");
  CommandServer server(name, 1);
  CommandClient client(name);
  EXPECT_THROW(client.send(CommandKind::kEngage, {}, 0.0, 20), OperationError);
  EXPECT_FALSE(server.poll().has_value());
}

TEST(CommandMailbox, a_dead_daemon_is_noticed) {
  const std::string name = test_name("dead");
  const pid_t child = fork();
  if (child == 0) {
    const CommandServer doomed(name, 1);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_THROW(CommandClient{name}, OperationError);
  shm_unlink(segment_name(name, "commands").c_str());
}

TEST(CommandMailbox, slots_of_dead_writers_come_back) {
  const std::string name = test_name("orphans");
  CommandServer server(name, 1);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);  // its number is free now
  for (CommandSlot& slot : server.mailbox().slots) {
    slot.word = slot_word(SlotPhase::kClaimed, static_cast<std::uint64_t>(child));
  }
  EXPECT_FALSE(server.poll().has_value());
  for (const CommandSlot& slot : server.mailbox().slots) EXPECT_EQ(slot.word, 0u);
}

TEST(CommandMailbox, only_possible_commands_are_well_formed) {
  EXPECT_TRUE(is_well_formed(set_command("coupling.stiffness", 1.0)));
  EXPECT_TRUE(is_well_formed({CommandKind::kStop, 0, 0.0, {}}));
  EXPECT_FALSE(is_well_formed({static_cast<CommandKind>(0), 0, 0.0, {}}));
  EXPECT_FALSE(is_well_formed({static_cast<CommandKind>(7), 0, 0.0, {}}));
  EXPECT_FALSE(is_well_formed({CommandKind::kStop, 1, 0.0, {}}));
  EXPECT_FALSE(is_well_formed({CommandKind::kStop, 0, 1.0, {}}));
  EXPECT_FALSE(is_well_formed({CommandKind::kStop, 0, 0.0, {'a'}}));
  EXPECT_FALSE(is_well_formed(set_command("", 1.0)));
  EXPECT_FALSE(is_well_formed(set_command("a b", 1.0)));
  EXPECT_FALSE(is_well_formed(set_command("k", std::numeric_limits<double>::quiet_NaN())));
  EXPECT_FALSE(is_well_formed(set_command("k", std::numeric_limits<double>::infinity())));
  Command unterminated = set_command("k", 1.0);
  std::memset(unterminated.key, 'x', Command::kKeyLength);
  EXPECT_FALSE(is_well_formed(unterminated));
  Command trailing = set_command("k", 1.0);
  trailing.key[10] = 'z';
  EXPECT_FALSE(is_well_formed(trailing));
}

TEST(CommandMailbox, a_path_belongs_to_load_and_is_absolute) {
  EXPECT_TRUE(is_well_formed(load_command("/var/lib/hapticd/a scene \xc3\xa4.toml")));
  EXPECT_FALSE(is_well_formed(load_command("")));
  EXPECT_FALSE(is_well_formed(load_command("scene.toml")));
  EXPECT_FALSE(is_well_formed(load_command("/a\nb.toml")));
  EXPECT_FALSE(is_well_formed(load_command("/a\x7f.toml")));
  Command other = load_command("/scene.toml");
  other.value = 1.0;
  EXPECT_FALSE(is_well_formed(other));
  other = load_command("/scene.toml");
  other.kind = CommandKind::kEngage;
  EXPECT_FALSE(is_well_formed(other));
  other = set_command("k", 1.0);
  other.path[0] = '/';
  EXPECT_FALSE(is_well_formed(other));
  other = load_command("/scene.toml");
  other.key[0] = 'k';
  EXPECT_FALSE(is_well_formed(other));
  other = load_command("/scene.toml");
  other.path[100] = 'z';
  EXPECT_FALSE(is_well_formed(other));
  std::memset(other.path, '/', Command::kPathLength);
  EXPECT_FALSE(is_well_formed(other));
}

TEST(CommandMailbox, a_command_that_is_held_keeps_nobody_waiting_and_is_answered_later) {
  const std::string name = test_name("held");
  CommandServer server(name, 1);
  CommandReply loaded{};
  std::thread patient([&] { loaded = CommandClient(name).load("/scene.toml", 60'000); });
  std::optional<CommandServer::Request> held;
  while (!(held = server.poll())) std::this_thread::yield();
  EXPECT_STREQ(held->command.path, "/scene.toml");
  server.hold(*held);
  EXPECT_FALSE(server.poll().has_value());

  CommandReply engaged{};
  std::thread other(
      [&] { engaged = CommandClient(name).send(CommandKind::kEngage, {}, 0.0, 60'000); });
  std::optional<CommandServer::Request> next;
  while (!(next = server.poll())) std::this_thread::yield();
  EXPECT_EQ(next->command.kind, CommandKind::kEngage);
  server.answer(*next, kApplied);
  other.join();
  EXPECT_EQ(engaged.answer, CommandAnswer::kApplied);
  EXPECT_FALSE(server.poll().has_value());

  CommandReply refusal = kApplied;
  refusal.answer = CommandAnswer::kSceneRefused;
  std::strcpy(refusal.text, "scene.toml: why");
  server.answer(*held, refusal);
  patient.join();
  EXPECT_EQ(loaded.answer, CommandAnswer::kSceneRefused);
  EXPECT_STREQ(loaded.text, "scene.toml: why");
}

TEST(CommandMailbox, a_held_command_that_is_withdrawn_gives_its_slot_back) {
  const std::string name = test_name("held-withdrawn");
  CommandServer server(name, 1);
  std::thread impatient(
      [&] { EXPECT_THROW(CommandClient(name).load("/scene.toml", 2000), OperationError); });
  std::optional<CommandServer::Request> held;
  while (!(held = server.poll())) std::this_thread::yield();
  server.hold(*held);
  impatient.join();
  server.answer(*held, kApplied);  // to nobody
  std::thread again([&] {
    EXPECT_EQ(CommandClient(name).send(CommandKind::kStop, {}, 0.0, 60'000).answer,
              CommandAnswer::kApplied);
  });
  std::optional<CommandServer::Request> next;
  while (!(next = server.poll())) std::this_thread::yield();
  EXPECT_EQ(next->command.kind, CommandKind::kStop);
  server.answer(*next, kApplied);
  again.join();
}

TEST(CommandMailbox, garbage_is_counted_and_never_served) {
  const std::string name = test_name("garbage");
  CommandServer server(name, 1);
  EXPECT_TRUE(rc::check("random bytes in any slots", [&] {
    std::memset(static_cast<void*>(server.mailbox().slots.data()), 0,
                sizeof(server.mailbox().slots));
    const auto slots = *rc::gen::nonEmpty(
        rc::gen::container<std::set<std::size_t>>(rc::gen::inRange(std::size_t{0}, kMailboxSlots)));
    std::uint64_t expected = server.garbage();
    for (const std::size_t index : slots) {
      CommandSlot& slot = server.mailbox().slots[index];
      const auto bytes = *rc::gen::container<std::vector<unsigned char>>(
          sizeof(CommandSlot), rc::gen::arbitrary<unsigned char>());
      std::memcpy(static_cast<void*>(&slot), bytes.data(), sizeof(slot));
      const auto phase = *rc::gen::inRange<std::uint64_t>(2, 256);
      slot.word = (slot.word & ~std::uint64_t{0xff}) | phase;
      if (slot_phase(slot.word) != SlotPhase::kAnswered) ++expected;  // its owner may still come
    }
    RC_ASSERT(!server.poll().has_value());
    RC_ASSERT(server.garbage() == expected);
  }));
  // And the mailbox still serves.
  std::memset(static_cast<void*>(server.mailbox().slots.data()), 0, sizeof(server.mailbox().slots));
  Daemon daemon(server);
  EXPECT_EQ(CommandClient(name).send(CommandKind::kReset).answer, CommandAnswer::kApplied);
}

TEST(CommandMailbox, a_forged_checksum_does_not_help_an_impossible_command) {
  const std::string name = test_name("forged");
  CommandServer server(name, 1);
  EXPECT_TRUE(rc::check("one broken field", [&] {
    Command command = set_command("coupling.stiffness", 1.0);
    auto* bytes = reinterpret_cast<unsigned char*>(&command);
    const auto at = *rc::gen::inRange(std::size_t{0}, sizeof(Command));
    bytes[at] = static_cast<unsigned char>(bytes[at] ^ *rc::gen::inRange(1, 256));
    CommandSlot& slot = server.mailbox().slots[0];
    slot.sequence = 9;
    slot.command = command;
    slot.checksum = command_checksum(9, command);
    slot.word = slot_word(SlotPhase::kPosted, static_cast<std::uint64_t>(getpid()));
    const std::uint64_t before = server.garbage();
    const auto request = server.poll();
    if (is_well_formed(command)) {
      RC_ASSERT(request.has_value());
      RC_ASSERT(std::isfinite(request->command.value));
    } else {
      RC_ASSERT(!request.has_value());
      RC_ASSERT(server.garbage() == before + 1);
      RC_ASSERT(slot.reply.answer == CommandAnswer::kMalformed);
    }
    slot.word = 0;
  }));
}

TEST(CommandMailbox, a_truncated_or_overwritten_segment_is_restored) {
  const std::string name = test_name("cut");
  CommandServer server(name, 7);
  const SharedSegment raw =
      SharedSegment::open(segment_name(name, "commands"), SharedSegment::Access::kReadWrite);
  ASSERT_EQ(ftruncate(raw.descriptor(), 0), 0);
  EXPECT_FALSE(server.poll().has_value());
  EXPECT_EQ(server.garbage(), 1u);
  std::memset(raw.data(), 0x5a, sizeof(MailboxHeader));
  EXPECT_FALSE(server.poll().has_value());
  EXPECT_EQ(server.garbage(), 2u);
  Daemon daemon(server);
  EXPECT_EQ(CommandClient(name).send(CommandKind::kStop).answer, CommandAnswer::kApplied);
}

TEST(CommandMailbox, a_late_answer_does_not_reach_the_next_owner_of_the_slot) {
  const std::string name = test_name("late");
  CommandServer server(name, 1);
  CommandSlot& slot = server.mailbox().slots[0];
  const Command command{CommandKind::kEngage, 0, 0.0, {}};
  const auto post = [&](std::uint64_t sequence) {
    slot.sequence = sequence;
    slot.command = command;
    slot.checksum = command_checksum(sequence, command);
    slot.word = slot_word(SlotPhase::kPosted, static_cast<std::uint64_t>(getpid()));
  };
  post(1);
  const auto request = server.poll();
  ASSERT_TRUE(request.has_value());
  post(2);  // the first writer gave up, a second one took the slot
  server.answer(*request, kApplied);
  EXPECT_EQ(slot_phase(slot.word), SlotPhase::kPosted);
}

}  // namespace
}  // namespace haptic
