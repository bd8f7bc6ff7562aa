#include "rt/guard/reaction.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/rt/guard/waiting_child.h"

namespace haptic {
namespace {

constexpr std::int64_t kLong_ns = 10'000'000'000;

/// Notes what it finds at each attempt; safe from attempt `safe_from` (1, 2, ...) on.
class Recorder final : public SafeOutputs {
 public:
  Recorder(const WatchedProcess& daemon, std::size_t safe_from)
      : daemon_(daemon), safe_from_(safe_from) {}
  OutputReach reach(pid_t) override { return {true, "recorder"}; }
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
  const Reaction reaction = react(daemon_, outputs, kLong_ns);
  EXPECT_TRUE(reaction.safe);
  EXPECT_TRUE(reaction.ended);
  EXPECT_TRUE(outputs.daemon_was_gone.back());
  EXPECT_EQ(outputs.daemon_was_gone.size(), reaction.attempts);
  EXPECT_GE(reaction.safe_ns, 0);
  EXPECT_LE(reaction.safe_ns, kLong_ns);
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
  const Reaction reaction = react(daemon_, outputs, kLong_ns);
  EXPECT_TRUE(reaction.safe);
  EXPECT_TRUE(reaction.ended);
}

TEST_F(ReactionTest, outputs_are_retried_until_they_are_accepted) {
  Recorder outputs(daemon_, 5);
  const Reaction reaction = react(daemon_, outputs, kLong_ns);
  EXPECT_TRUE(reaction.safe);
  EXPECT_GE(reaction.attempts, 5u);
}

TEST_F(ReactionTest, outputs_that_are_never_accepted_are_reported_as_unsafe) {
  Recorder outputs(daemon_, ~std::size_t{0});
  const Reaction reaction = react(daemon_, outputs, 20'000'000);
  EXPECT_FALSE(reaction.safe);
  EXPECT_TRUE(reaction.ended);
  EXPECT_EQ(reaction.safe_ns, -1);
  EXPECT_GT(reaction.attempts, 1u);
  EXPECT_EQ(outputs.releases, 1);
}

}  // namespace
}  // namespace haptic
