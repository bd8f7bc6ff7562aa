#include "rt/hapticd/open_files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "shared/error.h"

namespace haptic {
namespace {

/// What a process with these limits of open files becomes: its soft limit, or "refused".
std::string with_limits(rlim_t soft, rlim_t hard) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{soft, hard};
    std::string text = "no limits";
    if (setrlimit(RLIMIT_NOFILE, &limit) == 0) {
      try {
        require_open_files();
        rlimit now{};
        getrlimit(RLIMIT_NOFILE, &now);
        text = std::to_string(now.rlim_cur);
      } catch (const OperationError& error) {
        text = error.what();
      }
    }
    _exit(write(ends[1], text.data(), text.size()) > 0 ? 0 : 1);
  }
  waitpid(child, nullptr, 0);
  char text[256];
  const ssize_t length = read(ends[0], text, sizeof text);
  close(ends[0]);
  close(ends[1]);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(length, 0))};
}

TEST(OpenFiles, the_soft_limit_is_raised_where_it_is_too_low) {
  EXPECT_EQ(with_limits(64, 512), "256");
  EXPECT_EQ(with_limits(300, 512), "300");
}

TEST(OpenFiles, a_hard_limit_that_is_too_low_is_refused) {
  EXPECT_EQ(with_limits(64, 255),
            "limit of open files (ulimit -n): found 255, expected 256 or more");
}

}  // namespace
}  // namespace haptic
