#include "rt/guard/watched_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include "shared/error.h"
#include "tests/rt/guard/waiting_child.h"

namespace haptic {
namespace {

TEST(WatchedProcess, a_stop_and_an_exit_are_detected_by_polling) {
  const pid_t child = waiting_child();
  ASSERT_GE(child, 0);
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

}  // namespace
}  // namespace haptic
