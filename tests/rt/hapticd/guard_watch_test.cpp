#include "rt/hapticd/guard_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

using namespace std::chrono_literals;
using Verdict = GuardWatch::Verdict;

/// A guard and a daemon that looks at it, in time that the test makes.
class GuardWatchTest : public testing::Test {
 protected:
  Verdict after(std::chrono::nanoseconds passed) {
    now_ += passed;
    return watch_.look(now_);
  }
  void start_guard(std::uint64_t device) {
    guard_ = std::make_unique<GuardPulseWriter>(name_, device);
    guard_->watch(getpid());
    guard_->reach(true, "proved");
  }
  Verdict beat_and_look(std::chrono::nanoseconds passed = 5ms) {
    guard_->beat();
    return after(passed);
  }

  const std::string name_ =
      test_name(testing::UnitTest::GetInstance()->current_test_info()->name()).substr(0, 48);
  GuardWatch watch_{name_, 7, 30ms};
  std::unique_ptr<GuardPulseWriter> guard_;
  std::chrono::nanoseconds now_{1s};
};

TEST_F(GuardWatchTest, none) {
  EXPECT_EQ(after(5ms), Verdict::kNone);
}

TEST_F(GuardWatchTest, beats) {
  start_guard(7);
  EXPECT_EQ(after(100ms), Verdict::kSilent);  // found, not yet heard
  EXPECT_EQ(beat_and_look(), Verdict::kGuarded);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(beat_and_look(), Verdict::kGuarded);
}

// 30 ms of patience: the seventh look of 5 ms each without a beat is one too many, the sixth not.
TEST_F(GuardWatchTest, stopped) {
  start_guard(7);
  after(100ms);
  ASSERT_EQ(beat_and_look(), Verdict::kGuarded);
  for (int i = 1; i <= 6; ++i) EXPECT_EQ(after(5ms), Verdict::kGuarded) << i;
  EXPECT_EQ(after(5ms), Verdict::kSilent);
  EXPECT_EQ(beat_and_look(), Verdict::kGuarded);  // and goes on
}

// A daemon that was itself paused for a second does not report the guard as lost, unless the
// guard stays silent.
TEST_F(GuardWatchTest, both_slept) {
  start_guard(7);
  after(100ms);
  ASSERT_EQ(beat_and_look(), Verdict::kGuarded);
  EXPECT_EQ(after(1s), Verdict::kGuarded);
  EXPECT_EQ(after(1s), Verdict::kGuarded);
  EXPECT_EQ(after(1s), Verdict::kGuarded);
  EXPECT_EQ(after(1s), Verdict::kSilent);
}

TEST_F(GuardWatchTest, dead) {
  start_guard(7);
  after(100ms);
  ASSERT_EQ(beat_and_look(), Verdict::kGuarded);
  guard_.reset();
  EXPECT_EQ(after(5ms), Verdict::kNone);
  start_guard(7);
  after(100ms);
  EXPECT_EQ(beat_and_look(), Verdict::kGuarded);
}

TEST_F(GuardWatchTest, other_device) {
  start_guard(8);
  after(100ms);
  EXPECT_EQ(beat_and_look(), Verdict::kOtherDevice);
}

// A guard that beats and would not reach the outputs is none, and says what it lacks.
TEST_F(GuardWatchTest, unreachable) {
  start_guard(7);
  guard_->reach(false, "the board is detached");
  after(100ms);
  EXPECT_EQ(beat_and_look(), Verdict::kUnreachable);
  EXPECT_EQ(watch_.words(), "its guard cannot reach the outputs: the board is detached");
  guard_->reach(true, "the board answers");
  EXPECT_EQ(beat_and_look(), Verdict::kGuarded);
  EXPECT_EQ(watch_.words(), "the board answers");
  guard_->reach(false, "the board is detached");
  EXPECT_EQ(beat_and_look(), Verdict::kUnreachable);  // lost while it beats
}

TEST_F(GuardWatchTest, not_yet_watching) {
  start_guard(7);
  guard_->watch(0);
  after(100ms);
  EXPECT_EQ(beat_and_look(), Verdict::kSilent);
  guard_->watch(getpid() + 1);  // another daemon
  EXPECT_EQ(beat_and_look(), Verdict::kSilent);
  guard_->watch(getpid());
  EXPECT_EQ(beat_and_look(), Verdict::kGuarded);
}

}  // namespace
}  // namespace haptic
