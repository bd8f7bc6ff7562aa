// The parts of the guard: heartbeat, reaction, watched process, safe outputs.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "rt/guard/heartbeat.h"
#include "rt/guard/reaction.h"
#include "shared/error.h"

namespace haptic {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(Heartbeat, nothing_is_expected_before_the_first_beat) {
  Heartbeat heartbeat(10 * kMs);
  for (std::int64_t t = 0; t < 10'000 * kMs; t += 100 * kMs) EXPECT_TRUE(heartbeat.hear(0, t));
  EXPECT_EQ(heartbeat.still_ns(10'000 * kMs), 0);
}

TEST(Heartbeat, a_pause_longer_than_the_limit_is_a_hang) {
  Heartbeat heartbeat(10 * kMs);
  EXPECT_TRUE(heartbeat.hear(7, 1000 * kMs));
  EXPECT_TRUE(heartbeat.hear(7, 1010 * kMs));
  EXPECT_FALSE(heartbeat.hear(7, 1010 * kMs + 1));
  EXPECT_EQ(heartbeat.still_ns(1012 * kMs), 12 * kMs);
}

TEST(Heartbeat, any_change_counts_as_a_beat) {
  Heartbeat heartbeat(10 * kMs);
  std::int64_t t = 0;
  for (const std::uint64_t count : {1u, 5u, 4u, 1000u}) {
    EXPECT_TRUE(heartbeat.hear(count, t += 9 * kMs));
    EXPECT_TRUE(heartbeat.hear(count, t += 9 * kMs));
  }
}

/// A child process that only waits.
pid_t waiting_child() {
  const pid_t pid = fork();
  if (pid == 0) {
    for (;;) pause();
  }
  return pid;
}

/// Notes what it finds at each attempt; safe from attempt `safe_from` (1, 2, ...) on.
class Recorder final : public SafeOutputs {
 public:
  Recorder(const WatchedProcess& daemon, std::size_t safe_from)
      : daemon_(daemon), safe_from_(safe_from) {}
  bool make_safe() override {
    daemon_was_gone.push_back(daemon_.ended());
    return daemon_was_gone.size() >= safe_from_;
  }
  void release() override {
    ++releases;
    gone_at_release = daemon_.ended();
  }
  std::string describe() const override { return "recorder"; }

  std::vector<bool> daemon_was_gone;
  int releases = 0;
  bool gone_at_release = false;

 private:
  const WatchedProcess& daemon_;
  std::size_t safe_from_;
};

class ReactionTest : public testing::Test {
 protected:
  void TearDown() override {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  pid_t child_ = waiting_child();
  WatchedProcess daemon_{child_};
};

TEST_F(ReactionTest, a_running_daemon_is_killed_first_and_its_outputs_written_after_its_end) {
  EXPECT_FALSE(daemon_.ended());
  EXPECT_TRUE(daemon_.may_kill());
  Recorder outputs(daemon_, 1);
  const Reaction reaction = react(daemon_, outputs, 10'000 * kMs);
  EXPECT_TRUE(reaction.safe);
  EXPECT_TRUE(reaction.ended);
  EXPECT_TRUE(outputs.daemon_was_gone.back());
  EXPECT_EQ(outputs.daemon_was_gone.size(), reaction.attempts);
  EXPECT_GE(reaction.safe_ns, 0);
  EXPECT_LE(reaction.safe_ns, 10'000 * kMs);
  EXPECT_EQ(outputs.releases, 1);
  EXPECT_TRUE(outputs.gone_at_release);
  int status = 0;
  EXPECT_EQ(waitpid(child_, &status, 0), child_);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST_F(ReactionTest, a_stopped_daemon_is_killed_too) {
  ASSERT_EQ(kill(child_, SIGSTOP), 0);
  int status = 0;
  ASSERT_EQ(waitpid(child_, &status, WUNTRACED), child_);
  Recorder outputs(daemon_, 1);
  const Reaction reaction = react(daemon_, outputs, 10'000 * kMs);
  EXPECT_TRUE(reaction.safe);
  EXPECT_TRUE(reaction.ended);
}

TEST_F(ReactionTest, outputs_are_retried_until_they_are_accepted) {
  Recorder outputs(daemon_, 5);
  const Reaction reaction = react(daemon_, outputs, 10'000 * kMs);
  EXPECT_TRUE(reaction.safe);
  EXPECT_GE(reaction.attempts, 5u);
}

TEST_F(ReactionTest, outputs_that_are_never_accepted_are_reported_as_unsafe) {
  Recorder outputs(daemon_, ~std::size_t{0});
  const Reaction reaction = react(daemon_, outputs, 20 * kMs);
  EXPECT_FALSE(reaction.safe);
  EXPECT_TRUE(reaction.ended);
  EXPECT_EQ(reaction.safe_ns, -1);
  EXPECT_GT(reaction.attempts, 1u);
  EXPECT_EQ(outputs.releases, 1);
}

TEST(WatchedProcess, a_stop_and_an_exit_are_detected_by_polling) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    for (;;) pause();
  }
  const WatchedProcess process(child);
  EXPECT_EQ(process.doing(), WatchedProcess::Doing::kRuns);
  int status = 0;
  ::kill(child, SIGSTOP);
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  EXPECT_EQ(process.doing(), WatchedProcess::Doing::kStopped);
  EXPECT_FALSE(process.ended());
  process.kill();
  siginfo_t end{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(process.doing(), WatchedProcess::Doing::kEnds);  // not yet buried
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(process.doing(), WatchedProcess::Doing::kEnds);  // buried
}

TEST(WatchedProcess, a_process_that_does_not_exist_is_refused) {
  const pid_t gone = waiting_child();
  kill(gone, SIGKILL);
  waitpid(gone, nullptr, 0);
  EXPECT_THROW(WatchedProcess{gone}, OperationError);
}

DeviceManifest manifest(const std::string& text) {
  return parse_manifest(text, "/nowhere/test.toml");
}

TEST(SafeOutputs, a_simulated_device_has_none_and_reports_it) {
  const auto outputs = safe_outputs_of(manifest("kind = \"simulated\"\nname = \"hand\"\n"));
  EXPECT_TRUE(make_safe_within(*outputs, 0.0));
  EXPECT_NE(outputs->describe().find("nothing to make safe"), std::string::npos);
}

TEST(SafeOutputs, a_missing_board_is_reported_as_not_safe_without_an_error) {
  const auto outputs = safe_outputs_of(manifest(R"(
kind = "comedi-arm"
name = "arm"
[board]
file = "/dev/comedi-that-is-not-there"
driver = "s626"
counters = [0]
outputs = [0]
)"));
  outputs->prepare();
  EXPECT_FALSE(make_safe_within(*outputs, 0.0));
  EXPECT_NE(outputs->describe().find("/dev/comedi-that-is-not-there"), std::string::npos);
}

TEST(SafeOutputs, an_unknown_kind_is_refused) {
  EXPECT_THROW(safe_outputs_of(manifest("kind = \"lever\"\nname = \"hand\"\n")), InputError);
}

}  // namespace
}  // namespace haptic
