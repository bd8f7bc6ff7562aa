#include "shared/journal/message.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace haptic {
namespace {

/// Runs `speak` in a child whose standard error is a pipe. @returns what it wrote to it
std::string said_by(const std::function<void()>& speak) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    unsetenv("JOURNAL_STREAM");
    speak();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
  return text;
}

TEST(Message, lines_are_written_in_order_including_earlier_ones) {
  EXPECT_EQ(said_by([] {
              message::say(Priority::kInfo, "early {}", 1);
              const MessageWriter writer("program");
              message::say(Priority::kError, "late {}", 2);
            }),
            "program: early 1\nprogram: late 2\n");
}

// The queue holds 256 lines: every place of it is used several times.
TEST(Message, a_thousand_lines_arrive_in_order_and_complete) {
  std::string expected;
  for (int i = 0; i < 1'000; ++i) expected += "p: line " + std::to_string(i) + "\n";
  EXPECT_EQ(said_by([] {
              std::array<int, 2> ends{};
              if (pipe(ends.data()) != 0) _exit(1);
              const int out = dup(STDERR_FILENO);
              dup2(ends[1], STDERR_FILENO);
              const MessageWriter writer("p");
              for (int i = 0; i < 1'000; ++i) {
                message::say(Priority::kInfo, "line {}", i);
                // Each line is read before the next is sent, so the queue is never full.
                for (char c = 0; c != '\n';) {
                  if (read(ends[0], &c, 1) != 1 || write(out, &c, 1) != 1) _exit(2);
                }
              }
              if (message::dropped() != 0) _exit(3);
            }),
            expected);
}

// The queue has room for all 240 lines, so none is dropped, in whatever order the threads run.
TEST(Message, all_lines_of_four_threads_are_written) {
  const std::string text = said_by([] {
    const MessageWriter writer("p");
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([t] {
        for (int i = 0; i < 60; ++i) message::say(Priority::kInfo, "{}:{}", t, i);
      });
    }
    threads.clear();
    if (message::dropped() != 0) _exit(3);
  });
  for (int t = 0; t < 4; ++t) {
    std::size_t at = 0;
    for (int i = 0; i < 60; ++i) {
      const std::size_t next = text.find(fmt::format("p: {}:{}\n", t, i), at);
      ASSERT_NE(next, std::string::npos) << t << ", line " << i << ": lost or out of order";
      at = next;
    }
  }
}

TEST(Message, control_characters_are_escaped_and_length_is_limited) {
  const std::string text = said_by([] {
    const MessageWriter writer("p");
    message::put(Priority::kInfo, "a\nb\x1b[31m");
    message::put(Priority::kInfo, std::string(5000, 'x'));
    message::put(Priority::kInfo, std::string(message::kMaxLineLength - 3, 'x') + "\x9b");
  });
  EXPECT_EQ(text, "p: a\\x0ab\\x1b[31m\np: " + std::string(message::kMaxLineLength, 'x') +
                      "\np: " + std::string(message::kMaxLineLength - 3, 'x') + "\n")
      << "no part of an escape";
}

// What 256 entries do not hold is dropped, and said so once somebody reads again.
TEST(Message, a_reader_that_does_not_read_blocks_no_writer) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  std::array<int, 2> done{};
  ASSERT_EQ(pipe(done.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    unsetenv("JOURNAL_STREAM");
    const MessageWriter writer("p");
    // Far more than pipe and queue can take, without a reader: this ends nevertheless.
    for (int i = 0; i < 10'000; ++i) message::put(Priority::kInfo, std::string(900, 'x'));
    const std::uint64_t dropped = message::dropped();
    if (write(done[1], &dropped, sizeof dropped) != sizeof dropped) _exit(1);
    _exit(0);  // the writer is still kept waiting
  }
  std::uint64_t dropped = 0;
  EXPECT_EQ(read(done[0], &dropped, sizeof dropped), static_cast<ssize_t>(sizeof dropped));
  // 64 KiB of pipe are 72 such lines, the queue holds 256.
  EXPECT_GE(dropped, 10'000u - 72u - 256u - 1u);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  for (const int end : {ends[0], ends[1], done[0], done[1]}) close(end);
}

TEST(Message, a_closed_reader_neither_throws_nor_ends_the_process) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    unsetenv("JOURNAL_STREAM");
    {
      const MessageWriter writer("p");
      for (int i = 0; i < 100; ++i) message::say(Priority::kError, "to nobody {}", i);
    }  // waits until they were tried
    _exit(message::dropped() == 0 ? 0 : 1);
  }
  close(ends[0]);
  close(ends[1]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Message, notices_go_to_systemd_in_order) {
  const std::string path = "/tmp/message-test-" + std::to_string(getpid());
  const int socket_of_systemd = socket(AF_UNIX, SOCK_DGRAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());
  ASSERT_EQ(bind(socket_of_systemd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  said_by([&] {
    setenv("NOTIFY_SOCKET", path.c_str(), 1);
    const MessageWriter writer("p");
    message::notify("READY=1");
    message::notify("WATCHDOG=1\nSTATUS=fine");
  });
  char buffer[64];
  for (const char* expected : {"READY=1", "WATCHDOG=1\nSTATUS=fine"}) {
    const ssize_t n = recv(socket_of_systemd, buffer, sizeof buffer, 0);
    EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(n)), expected);
  }
  close(socket_of_systemd);
  unlink(path.c_str());
}

// Otherwise systemd's watchdog would kill a healthy daemon whose standard error is blocked.
TEST(Message, notices_pass_a_reader_of_lines_that_does_not_read) {
  const std::string path = "/tmp/message-test-full-" + std::to_string(getpid());
  const int socket_of_systemd = socket(AF_UNIX, SOCK_DGRAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());
  ASSERT_EQ(bind(socket_of_systemd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], STDERR_FILENO);
    unsetenv("JOURNAL_STREAM");
    setenv("NOTIFY_SOCKET", path.c_str(), 1);
    const MessageWriter writer("p");
    for (int i = 0; i < 1000; ++i) message::put(Priority::kInfo, std::string(900, 'x'));
    for (int i = 0; i < 3; ++i) message::notify("WATCHDOG=1");
    pause();
  }
  // A limit so that a failure does not hang: if notices wait for lines, none ever arrives.
  const timeval most{60, 0};
  setsockopt(socket_of_systemd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  char buffer[64];
  for (int i = 0; i < 3; ++i) {
    const ssize_t n = recv(socket_of_systemd, buffer, sizeof buffer, 0);
    EXPECT_EQ(std::string(buffer, n < 0 ? 0 : static_cast<std::size_t>(n)), "WATCHDOG=1");
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  for (const int end : {ends[0], ends[1], socket_of_systemd}) close(end);
  unlink(path.c_str());
}

TEST(Message, one_line_of_a_cause_a_second_and_what_was_left_out) {
  const std::string text = said_by([] {
    const MessageWriter writer("p");
    message::OncePerSecond cause, other, twice;
    for (int i = 0; i < 1000; ++i) cause.say(Priority::kInfo, "cause {}", i);
    other.say(Priority::kInfo, "other");
    for (int i = 0; i < 2; ++i) twice.say(Priority::kInfo, "twice {}", i);
    for (auto* line : {&cause, &other, &twice}) line->flush(true);
    cause.flush(true);  // once
  });
  EXPECT_EQ(text,
            "p: cause 0\np: other\np: twice 0\n"
            "p: 999 more messages in a second, the last of them: cause 999\n"
            "p: twice 1\n");
}

}  // namespace
}  // namespace haptic
