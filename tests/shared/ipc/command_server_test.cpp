#include "shared/ipc/command_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "shared/error.h"
#include "shared/ipc/command_client.h"
#include "shared/ipc/run_folder.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

constexpr CommandReply kApplied{
    CommandAnswer::kApplied, ServoState::kEngaged, FaultKind::kNone, 0, 0.0, 0.0};

/// The next command, however long it takes to come.
CommandServer::Request next(CommandServer& server) {
  for (;;) {
    server.begin_turn();
    if (const auto request = server.poll()) return *request;
    server.wait(-1, 1'000'000);
  }
}

/// Serves until finished; every command is applied and remembered.
class Daemon {
 public:
  explicit Daemon(CommandServer& server)
      : thread_([this, &server] {
          while (!stop_) {
            server.begin_turn();
            while (const auto request = server.poll()) {
              seen_.push_back(*request);
              server.answer(*request, kApplied);
            }
            server.wait(-1, 1'000'000);
          }
        }) {}
  ~Daemon() { finish(); }
  const std::vector<CommandServer::Request>& finish() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return seen_;
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<CommandServer::Request> seen_;
  std::thread thread_;
};

/// A connection that may send anything.
LocalConnection raw_client(const std::string& name) {
  return LocalConnection(own_run_file(name, "commands"));
}

Command engage_command() {
  Command command{};
  command.kind = CommandKind::kEngage;
  return command;
}

TEST(CommandServer, a_command_is_acknowledged_and_its_sender_known) {
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
  EXPECT_STREQ(seen[0].command.subject, "coupling.stiffness");
  EXPECT_EQ(seen[0].command.value, 250.0);
  EXPECT_EQ(seen[0].from.pid, getpid());
  EXPECT_EQ(seen[0].from.uid, geteuid());
  EXPECT_STREQ(seen[0].command.client, "ipc_test");
  EXPECT_GT(seen[0].command.deadline_ns, 0);
  EXPECT_EQ(server.garbage(), 0u);
}

TEST(CommandServer, a_socket_that_was_removed_or_replaced_is_made_again) {
  const std::string name = test_name("removed");
  CommandServer server(name, 7);
  EXPECT_FALSE(server.keep_name());
  const std::filesystem::path socket = own_run_file(name, "commands");
  ASSERT_EQ(unlink(socket.c_str()), 0);
  EXPECT_TRUE(server.keep_name());
  EXPECT_FALSE(server.keep_name());
  ASSERT_EQ(unlink(socket.c_str()), 0);
  close(open(socket.c_str(), O_CREAT | O_WRONLY, 0600));
  EXPECT_TRUE(server.keep_name());
  Daemon daemon(server);
  EXPECT_EQ(CommandClient(name).send(CommandKind::kReset).answer, CommandAnswer::kApplied);
}

TEST(CommandServer, an_engage_carries_the_epoch_of_its_greeting_or_last_answer) {
  const std::string name = test_name("epoch");
  CommandServer server(name, 1);
  server.set_epoch(17);
  std::optional<CommandClient> client;
  std::thread connecting([&] { client.emplace(name); });
  while (server.connections() == 0) server.begin_turn();
  connecting.join();
  EXPECT_FALSE(server.poll().has_value());
  for (const std::uint64_t epoch : {17u, 18u}) {
    std::thread sending([&] { client->send(CommandKind::kEngage, {}, 0.0, 60'000); });
    const CommandServer::Request request = next(server);
    EXPECT_EQ(request.command.epoch, epoch);
    CommandReply reply = kApplied;
    reply.epoch = 18;
    server.answer(request, reply);
    sending.join();
  }
}

TEST(CommandServer, many_clients_at_once_are_all_served_once) {
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
        const auto reply = client.send(CommandKind::kSet, "k", w * kEach + i, 60'000);
        if (reply.answer == CommandAnswer::kApplied) ++applied;
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  const auto& seen = daemon.finish();
  EXPECT_EQ(applied, kWriters * kEach);
  std::set<double> values;
  for (const auto& request : seen) values.insert(request.command.value);
  EXPECT_EQ(seen.size(), std::size_t{kWriters * kEach});
  EXPECT_EQ(values.size(), seen.size());
}

TEST(CommandServer, a_flood_of_one_client_does_not_delay_another) {
  const std::string name = test_name("flood");
  CommandServer server(name, 1);
  const LocalConnection flooder = raw_client(name);
  const LocalConnection other = raw_client(name);
  const Command command = engage_command();
  int sent = 0;
  while (flooder.send(&command, sizeof command)) ++sent;  // until its buffer is full
  ASSERT_GT(sent, 10);
  Command reset = command;
  reset.kind = CommandKind::kReset;
  ASSERT_TRUE(other.send(&reset, sizeof reset));
  // A turn reads one packet of each, and no second one before the first is answered.
  server.begin_turn();
  const auto first = server.poll();
  const auto second = server.poll();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->command.kind, CommandKind::kEngage);
  EXPECT_EQ(second->command.kind, CommandKind::kReset);
  EXPECT_FALSE(server.poll().has_value());
  server.begin_turn();
  EXPECT_FALSE(server.poll().has_value());
  server.answer(*first, kApplied);
  EXPECT_TRUE(server.poll().has_value());
}

TEST(CommandServer, a_client_that_connects_during_a_turn_waits_for_the_next) {
  const std::string name = test_name("amid");
  CommandServer server(name, 1);
  server.begin_turn();
  const LocalConnection client = raw_client(name);
  const Command command = engage_command();
  ASSERT_TRUE(client.send(&command, sizeof command));
  EXPECT_FALSE(server.poll().has_value());
  server.begin_turn();
  EXPECT_TRUE(server.poll().has_value());
}

TEST(CommandServer, a_command_dies_with_its_connection) {
  const std::string name = test_name("dies");
  CommandServer server(name, 1);
  auto client = std::make_unique<LocalConnection>(own_run_file(name, "commands"));
  const Command command = engage_command();
  ASSERT_TRUE(client->send(&command, sizeof command));
  const CommandServer::Request request = next(server);
  EXPECT_TRUE(server.waits(request));
  client.reset();
  EXPECT_FALSE(server.waits(request));
  server.answer(request, kApplied);  // to nobody
  server.begin_turn();
  EXPECT_FALSE(server.poll().has_value());
  EXPECT_EQ(server.connections(), 0u);
}

TEST(CommandServer, a_command_whose_sender_hung_up_before_it_was_read_is_never_served) {
  const std::string name = test_name("hung-up");
  CommandServer server(name, 1);
  {
    const LocalConnection client = raw_client(name);
    const Command command = engage_command();
    ASSERT_TRUE(client.send(&command, sizeof command));
  }
  for (int i = 0; i < 3; ++i) {
    server.begin_turn();
    EXPECT_FALSE(server.poll().has_value());
  }
}

TEST(CommandServer, an_unanswered_command_ends_in_time) {
  const std::string name = test_name("timeout");
  CommandServer server(name, 1);
  std::optional<CommandClient> client;
  std::thread connecting([&] { client.emplace(name); });
  while (server.connections() == 0) server.begin_turn();
  connecting.join();
  EXPECT_THROW(client->send(CommandKind::kEngage, {}, 0.0, 20), OperationError);
}

TEST(CommandServer, a_dead_daemon_is_noticed_and_replaced) {
  const std::string name = test_name("dead");
  const pid_t child = fork();
  if (child == 0) {
    static CommandServer* const doomed = new CommandServer(name, 1);
    static_cast<void>(doomed);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_THROW(CommandClient{name}, OperationError);
  CommandServer server(name, 2);
  Daemon daemon(server);
  EXPECT_EQ(CommandClient(name).send(CommandKind::kReset).answer, CommandAnswer::kApplied);
}

TEST(CommandServer, a_client_with_too_many_connections_loses_one_of_its_connections) {
  const std::string name = test_name("greedy");
  CommandServer server(name, 1);
  std::vector<std::unique_ptr<LocalConnection>> greedy;
  for (std::size_t i = 0; i < 3 * CommandServer::kMaxConnections; ++i) {
    greedy.push_back(std::make_unique<LocalConnection>(own_run_file(name, "commands")));
    server.begin_turn();
    static_cast<void>(server.poll());
    EXPECT_LE(server.connections(), CommandServer::kMaxConnections);
  }
  EXPECT_TRUE(greedy.front()->hung_up());
  EXPECT_FALSE(greedy.back()->hung_up());
  Daemon daemon(server);
  EXPECT_EQ(CommandClient(name).send(CommandKind::kReset).answer, CommandAnswer::kApplied);
}

/// A connection whose peer is another user; the files are reached as root.
LocalConnection connection_of(uid_t user, const std::string& name) {
  const std::filesystem::path path = own_run_file(name, "commands");
  if (seteuid(user) != 0) throw OperationError("seteuid");
  setfsuid(0);
  LocalConnection connection(path);
  if (seteuid(0) != 0) throw OperationError("seteuid");
  return connection;
}

TEST(CommandServer, one_users_connections_never_close_anothers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to be two users";
  constexpr uid_t kNobody = 65534;
  const std::string name = test_name("two-users");
  CommandServer server(name, 1);
  const LocalConnection quiet = connection_of(kNobody, name);
  server.begin_turn();
  std::vector<std::unique_ptr<LocalConnection>> greedy;
  for (std::size_t i = 0; i < 2 * CommandServer::kMaxConnections; ++i) {
    greedy.push_back(std::make_unique<LocalConnection>(raw_client(name)));
    server.begin_turn();
  }
  EXPECT_EQ(server.connections(), CommandServer::kMaxConnections);
  EXPECT_FALSE(quiet.hung_up());  // the quietest of all, and the first
  EXPECT_TRUE(greedy.front()->hung_up());
  const Command command = engage_command();
  ASSERT_TRUE(quiet.send(&command, sizeof command));
  const CommandServer::Request request = next(server);
  EXPECT_EQ(request.from.uid, kNobody);
}

TEST(CommandServer, waiting_and_recently_active_clients_keep_their_connection) {
  const std::string name = test_name("quiet");
  CommandServer server(name, 1);
  const LocalConnection waiting = raw_client(name), talker = raw_client(name);
  const Command command = engage_command();
  ASSERT_TRUE(waiting.send(&command, sizeof command));
  const CommandServer::Request unanswered = next(server);
  std::vector<LocalConnection> silent;
  const auto add_silent = [&] {
    silent.push_back(raw_client(name));
    server.begin_turn();
    EXPECT_FALSE(server.poll().has_value());
  };
  while (silent.size() + 2 < CommandServer::kMaxConnections) add_silent();
  ASSERT_TRUE(talker.send(&command, sizeof command));
  server.answer(next(server), kApplied);
  // Each new connection evicts the one that has been silent the longest.
  for (std::size_t i = 0; i + 1 < CommandServer::kMaxConnections; ++i) {
    add_silent();
    ASSERT_TRUE(server.waits(unanswered)) << i;
    ASSERT_EQ(talker.hung_up(), i + 2 >= CommandServer::kMaxConnections) << i;
    ASSERT_TRUE(silent[std::min(i, CommandServer::kMaxConnections - 3)].hung_up()) << i;
  }
  EXPECT_EQ(server.connections(), CommandServer::kMaxConnections);
}

TEST(CommandServer, a_client_that_does_not_read_answers_is_disconnected) {
  const std::string name = test_name("deaf");
  CommandServer server(name, 1);
  const LocalConnection deaf = raw_client(name);
  const Command command = engage_command();
  // Until the socket's buffer is full of answers, some hundreds of packets by default.
  for (int i = 0; i < 10'000 && !deaf.hung_up(); ++i) {
    ASSERT_TRUE(deaf.send(&command, sizeof command));
    server.answer(next(server), kApplied);
  }
  EXPECT_TRUE(deaf.hung_up());
  EXPECT_EQ(server.connections(), 0u);
}

TEST(CommandServer, garbage_is_counted_answered_and_never_served) {
  const std::string name = test_name("garbage");
  CommandServer server(name, 1);
  EXPECT_TRUE(rc::check("random packets of any size", [&] {
    const LocalConnection client = raw_client(name);
    auto bytes =
        *rc::gen::container<std::vector<unsigned char>>(rc::gen::arbitrary<unsigned char>());
    const bool whole = *rc::gen::arbitrary<bool>();
    if (whole) bytes.resize(sizeof(Command), 0);
    RC_PRE(!bytes.empty());
    Command same{};
    if (bytes.size() == sizeof(Command)) std::memcpy(&same, bytes.data(), sizeof same);
    RC_PRE(bytes.size() != sizeof(Command) || !is_well_formed(same));
    const std::uint64_t before = server.garbage();
    RC_ASSERT(client.send(bytes.data(), bytes.size()));
    server.begin_turn();
    RC_ASSERT(!server.poll().has_value());
    RC_ASSERT(server.garbage() == before + 1);
    CommandGreeting greeting;
    CommandReply reply;
    RC_ASSERT(client.receive(&greeting, sizeof greeting) == LocalConnection::Received::kPacket);
    RC_ASSERT(client.receive(&reply, sizeof reply) == LocalConnection::Received::kPacket);
    RC_ASSERT(reply.answer == CommandAnswer::kMalformed);
  }));
}

TEST(CommandServer, one_broken_field_is_enough_to_be_refused) {
  const std::string name = test_name("broken");
  CommandServer server(name, 1);
  EXPECT_TRUE(rc::check("one broken byte", [&] {
    const LocalConnection client = raw_client(name);
    Command command{};
    command.kind = CommandKind::kSet;
    std::strcpy(command.subject, "coupling.stiffness");
    command.value = 1.0;
    auto* bytes = reinterpret_cast<unsigned char*>(&command);
    const auto at = *rc::gen::inRange(std::size_t{0}, sizeof(Command));
    bytes[at] = static_cast<unsigned char>(bytes[at] ^ *rc::gen::inRange(1, 256));
    RC_ASSERT(client.send(&command, sizeof command));
    server.begin_turn();
    const auto request = server.poll();
    RC_ASSERT(request.has_value() == is_well_formed(command));
  }));
}

TEST(CommandServer, a_socket_that_others_may_write_is_not_used) {
  const std::string name = test_name("open");
  CommandServer server(name, 1);
  ASSERT_EQ(chmod(own_run_file(name, "commands").c_str(), 0666), 0);
  EXPECT_THROW(CommandClient{name}, OperationError);
}

TEST(CommandServer, a_load_is_answered_later_while_others_are_served) {
  const std::string name = test_name("held");
  CommandServer server(name, 1);
  CommandReply loaded{};
  std::thread patient([&] { loaded = CommandClient(name).load("/scene.toml", 60'000); });
  const CommandServer::Request held = next(server);
  EXPECT_STREQ(held.command.text, "/scene.toml");

  CommandReply engaged{};
  std::thread other(
      [&] { engaged = CommandClient(name).send(CommandKind::kEngage, {}, 0.0, 60'000); });
  const CommandServer::Request engage = next(server);
  EXPECT_EQ(engage.command.kind, CommandKind::kEngage);
  server.answer(engage, kApplied);
  other.join();
  EXPECT_EQ(engaged.answer, CommandAnswer::kApplied);

  CommandReply refusal = kApplied;
  refusal.answer = CommandAnswer::kSceneRefused;
  std::strcpy(refusal.text, "scene.toml: why");
  server.answer(held, refusal);
  patient.join();
  EXPECT_EQ(loaded.answer, CommandAnswer::kSceneRefused);
  EXPECT_STREQ(loaded.text, "scene.toml: why");
}

}  // namespace
}  // namespace haptic
