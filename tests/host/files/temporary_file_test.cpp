#include "host/files/temporary_file.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

namespace haptic {
namespace {

/// Ends a child process that has a temporary file by `signal`.
/// @param before  called in the child before the signal
/// @returns the signal that ended the child; SIGALRM if it was still running after 20 s
int ending_signal(const std::filesystem::path& target, int signal, void (*before)(int)) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(signal, SIG_DFL);
    std::signal(SIGALRM, SIG_DFL);
    alarm(20);
    const TemporaryFile file(target);
    std::ofstream(file.path()) << "unfinished";
    before(signal);
    std::raise(signal);
    for (;;) pause();
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  return WTERMSIG(status);
}

std::filesystem::path empty_folder() {
  const std::filesystem::path folder =
      testing::TempDir() + "haptic_temporary_" + std::to_string(::getpid());
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  return folder;
}

TEST(TemporaryFile, is_removed_when_a_signal_ends_the_process) {
  const std::filesystem::path folder = empty_folder();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    EXPECT_EQ(ending_signal(folder / "model.h5", signal, [](int) {}), signal);
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << signal;
  }
  std::filesystem::remove_all(folder);
}

// As METIS does around its ordering: the handler that signal() puts back has lost its flags.
TEST(TemporaryFile, a_library_that_saves_and_restores_the_handler_does_not_keep_the_process_alive) {
  const std::filesystem::path folder = empty_folder();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    const auto restore = [](int number) { std::signal(number, std::signal(number, SIG_IGN)); };
    EXPECT_EQ(ending_signal(folder / "model.h5", signal, restore), signal);
    EXPECT_TRUE(std::filesystem::is_empty(folder)) << signal;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace haptic
