#include "shared/memory/memory_reason.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace haptic {
namespace {

[[noreturn]] void print_reason(int error) {
  const rlimit limit = {64'000, 64'000};
  if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0) std::_Exit(2);
  std::fputs(memory_reason(error).c_str(), stderr);
  std::_Exit(0);
}

/// In a process of its own, because a limit that was lowered cannot be raised again.
void expect_reason(int error, const char* expected) {
  EXPECT_EXIT(print_reason(error), testing::ExitedWithCode(0), expected);
}

TEST(MemoryReason, names_the_limit_of_locked_memory) {
  for (const int error : {EAGAIN, ENOMEM}) {
    expect_reason(error, "; 0.0 MB of memory are locked, of 0.1 MB \\(LimitMEMLOCK, ulimit -l\\)$");
  }
}

TEST(MemoryReason, another_reason_has_no_limit) {
  expect_reason(ENOENT, "^No such file or directory$");
}

}  // namespace
}  // namespace haptic
