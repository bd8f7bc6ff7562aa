#include "rt/hapticd/stop_listener.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "shared/error.h"
#include "shared/ipc/command_client.h"
#include "shared/ipc/run_folder.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

/// A loop that does nothing but stop when it is told to, once in a millisecond.
class StoppingLoop {
 public:
  explicit StoppingLoop(CommandChannel& channel)
      : thread_([this, &channel] {
          for (std::uint64_t cycle = 0; !end_; ++cycle) {
            if (channel.stop_pending()) {
              const std::uint64_t ticket = channel.stops_wanted();
              channel.stop_done(ticket, ServoState::kFault, FaultKind::kOperatorStop, cycle);
              ++stops_;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        }) {}
  ~StoppingLoop() { end_ = true; }
  int stops() const { return stops_; }

 private:
  std::atomic<bool> end_{false};
  std::atomic<int> stops_{0};
  std::jthread thread_;
};

TEST(StopListener, a_stop_reaches_the_loop_and_reports_its_result) {
  const std::string name = test_name("stop");
  CommandChannel channel;
  EXPECT_THROW(stop_daemon(name), OperationError);
  StopListener listener(name, channel);
  const StoppingLoop loop(channel);
  const CommandReply reply = stop_daemon(name, 60'000);
  EXPECT_EQ(reply.answer, CommandAnswer::kApplied);
  EXPECT_EQ(reply.state, ServoState::kFault);
  EXPECT_EQ(reply.fault, FaultKind::kOperatorStop);
  EXPECT_GE(loop.stops(), 1);
  std::optional<StopListener::Stop> stop;
  while (!stop) stop = listener.next();
  EXPECT_EQ(stop->from.pid, getpid());
  EXPECT_EQ(stop->command.kind, CommandKind::kStop);
  EXPECT_STREQ(stop->command.client, "supervision_test");
  EXPECT_EQ(stop->reply.answer, CommandAnswer::kApplied);
}

TEST(StopListener, a_socket_that_was_removed_is_made_again) {
  const std::string name = test_name("removed");
  CommandChannel channel;
  StopListener listener(name, channel);
  const StoppingLoop loop(channel);
  const std::filesystem::path socket = own_run_file(name, "stop");
  ASSERT_EQ(unlink(socket.c_str()), 0);
  while (access(socket.c_str(), F_OK) != 0) std::this_thread::yield();
  // The name exists a moment before the socket listens.
  std::optional<CommandReply> reply;
  while (!reply) {
    try {
      reply = stop_daemon(name, 60'000);
    } catch (const OperationError&) {
    }
  }
  EXPECT_EQ(reply->answer, CommandAnswer::kApplied);
  EXPECT_TRUE(listener.is_reachable());
}

TEST(StopListener, says_that_no_stop_arrives_if_the_socket_cannot_be_made_again) {
  const std::string name = test_name("unreachable");
  CommandChannel channel;
  StopListener listener(name, channel);
  const std::filesystem::path socket = own_run_file(name, "stop");
  ASSERT_EQ(unlink(socket.c_str()), 0);
  ASSERT_EQ(mkdir(socket.c_str(), 0700), 0);  // no unlink removes it
  while (listener.is_reachable()) std::this_thread::yield();
  ASSERT_EQ(rmdir(socket.c_str()), 0);
  while (!listener.is_reachable()) std::this_thread::yield();
}

TEST(StopListener, a_command_under_way_does_not_keep_a_stop_waiting) {
  const std::string name = test_name("busy");
  CommandChannel channel;
  StopListener listener(name, channel);
  const StoppingLoop loop(channel);
  ASSERT_TRUE(channel.post({CommandKind::kEngage}));  // which this loop never takes
  EXPECT_EQ(stop_daemon(name, 60'000).answer, CommandAnswer::kApplied);
}

TEST(StopListener, a_connection_with_another_command_or_garbage_is_closed) {
  const std::string name = test_name("other");
  CommandChannel channel;
  StopListener listener(name, channel);
  const StoppingLoop loop(channel);
  Command engage{};
  engage.kind = CommandKind::kEngage;
  for (const std::size_t size : {sizeof engage, std::size_t{1}, std::size_t{100}}) {
    const LocalConnection client(own_run_file(name, "stop"));
    ASSERT_TRUE(client.send(&engage, size));
    EXPECT_TRUE(client.wait(60'000));
    EXPECT_TRUE(client.hung_up());
  }
  EXPECT_EQ(loop.stops(), 0);
}

TEST(StopListener, a_connection_with_a_stop_under_an_invalid_name_is_closed) {
  const std::string name = test_name("broken-name");
  CommandChannel channel;
  StopListener listener(name, channel);
  const StoppingLoop loop(channel);
  Command unterminated{}, two_lines{};
  unterminated.kind = two_lines.kind = CommandKind::kStop;
  std::memset(unterminated.client, 'x', sizeof unterminated.client);
  std::memcpy(two_lines.client, "a\nb", 3);
  for (const Command& stop : {unterminated, two_lines}) {
    const LocalConnection client(own_run_file(name, "stop"));
    ASSERT_TRUE(client.send(&stop, sizeof stop));
    EXPECT_TRUE(client.wait(60'000));
    EXPECT_TRUE(client.hung_up());
  }
  EXPECT_EQ(loop.stops(), 0);
}

TEST(StopListener, a_stop_is_served_even_if_its_sender_exits_immediately) {
  const std::string name = test_name("gone");
  CommandChannel channel;
  StopListener listener(name, channel);
  const StoppingLoop loop(channel);
  {
    const LocalConnection client(own_run_file(name, "stop"));
    Command stop{};
    stop.kind = CommandKind::kStop;
    ASSERT_TRUE(client.send(&stop, sizeof stop));
  }
  while (loop.stops() == 0) std::this_thread::yield();
}

TEST(StopListener, hundreds_of_silent_connections_do_not_block_a_stop) {
  const std::string name = test_name("silent");
  CommandChannel channel;
  StopListener listener(name, channel);
  const StoppingLoop loop(channel);
  std::vector<std::unique_ptr<LocalConnection>> silent;
  for (int i = 0; i < 200; ++i) {
    silent.push_back(std::make_unique<LocalConnection>(own_run_file(name, "stop")));
  }
  EXPECT_EQ(stop_daemon(name, 60'000).answer, CommandAnswer::kApplied);
}

TEST(StopListener, a_loop_that_does_not_answer_is_not_reported_as_stopped) {
  const std::string name = test_name("hung");
  CommandChannel channel;
  StopListener listener(name, channel);
  EXPECT_EQ(stop_daemon(name, 60'000).answer, CommandAnswer::kPending);
  EXPECT_TRUE(channel.stop_pending());  // and it stays pending
}

}  // namespace
}  // namespace haptic
