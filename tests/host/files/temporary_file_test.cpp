#include "host/files/temporary_file.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "shared/error.h"

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

// METIS's handler jumps out of its ordering, and the process would go on.
TEST(TemporaryFile, sigterm_during_a_metis_ordering_ends_the_process) {
  // Debian 13's CHOLMOD contains METIS.
  static int (*catch_signals)() = nullptr;
  for (const auto& [library, name] : {std::pair{"libmetis.so.5", "gk_sigtrap"},
                                      {"libcholmod.so.5", "SuiteSparse_metis_gk_sigtrap"}}) {
    void* const metis = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
    if (metis == nullptr || catch_signals != nullptr) continue;
    catch_signals = reinterpret_cast<int (*)()>(dlsym(metis, name));
  }
  ASSERT_NE(catch_signals, nullptr);
  const std::filesystem::path folder = empty_folder();
  const auto begin_ordering = [](int) { catch_signals(); };
  EXPECT_EQ(ending_signal(folder / "model.h5", SIGTERM, begin_ordering), SIGTERM);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

class TemporaryFileTest : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(target_) << "old"; }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string target() const { return content(target_); }
  static std::string content(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t entries() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }
  /// What a process that was killed has left.
  std::filesystem::path abandoned() const {
    const pid_t child = fork();
    if (child == 0) {
      const TemporaryFile file(target_);
      std::raise(SIGKILL);
    }
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path() != target_) return entry.path();
    }
    return {};
  }

  const std::filesystem::path folder_ = empty_folder();
  const std::filesystem::path target_ = folder_ / "model.h5";
};

TEST_F(TemporaryFileTest, two_writers_of_one_target_never_touch_each_others_file) {
  TemporaryFile first(target_);
  EXPECT_EQ(write(first.descriptor(), "first", 5), 5);
  {
    TemporaryFile second(target_);  // as of a container in which it has the same process number
    EXPECT_NE(second.path(), first.path());
    EXPECT_EQ(content(first.path()), "first");
    EXPECT_EQ(target(), "old");
    std::ofstream(second.open_name()) << "second";
    second.commit();
    EXPECT_EQ(target(), "second");
  }
  first.commit();
  EXPECT_EQ(target(), "first");
  EXPECT_EQ(entries(), 1);
}

TEST_F(TemporaryFileTest, only_abandoned_files_of_the_same_target_are_removed) {
  const std::filesystem::path left = abandoned();
  ASSERT_EQ(without_temporary_ending(left.filename().native()), "model.h5");
  { const TemporaryFile other(folder_ / "other.h5"); }
  EXPECT_TRUE(std::filesystem::exists(left));
  { const TemporaryFile next(target_); }
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(TemporaryFileTest, fifos_and_links_of_a_temporary_name_are_let_alone) {
  const std::filesystem::path secret = folder_ / "secret";
  std::ofstream(secret) << "precious";
  const std::filesystem::path link = target_.string() + ".tmp0000000000000001";
  const std::filesystem::path fifo = target_.string() + ".tmp0000000000000002";
  std::filesystem::create_symlink(secret, link);
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  TemporaryFile file(target_);
  file.commit();
  EXPECT_EQ(content(secret), "precious");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
}

TEST_F(TemporaryFileTest, what_is_put_in_the_place_of_its_name_is_not_written) {
  const std::filesystem::path secret = folder_ / "secret";
  std::ofstream(secret) << "precious";
  TemporaryFile file(target_);
  std::filesystem::remove(file.path());
  std::filesystem::create_symlink(secret, file.path());
  std::ofstream(file.open_name()) << "mine";
  EXPECT_EQ(content(secret), "precious");
}

TEST_F(TemporaryFileTest, a_file_is_being_written_until_its_writer_ends) {
  EXPECT_FALSE(is_being_written(target_));
  {
    TemporaryFile file(target_);
    EXPECT_TRUE(is_being_written(file.path()));
    EXPECT_FALSE(is_being_written(target_));
    file.publish();
    EXPECT_TRUE(is_being_written(target_));
  }
  EXPECT_FALSE(is_being_written(target_));
  EXPECT_FALSE(is_being_written(folder_ / "none"));
}

TEST_F(TemporaryFileTest, a_folder_without_permission_is_told_by_its_cause) {
  try {
    const TemporaryFile file(folder_ / "none" / "model.h5");
    FAIL() << "created";
  } catch (const OperationError& error) {
    EXPECT_EQ(error.what(), (folder_ / "none" / "model.h5").string() +
                                ": cannot create a file beside it: No such file or directory");
  }
}

TEST(TemporaryEnding, is_16_random_digits) {
  EXPECT_NE(temporary_ending(), temporary_ending());
  EXPECT_EQ(temporary_ending().size(), 20u);
  EXPECT_EQ(without_temporary_ending("a.h5" + temporary_ending()), "a.h5");
  EXPECT_EQ(without_temporary_ending("a.tmp0123456789abcdef"), "a");
  for (const char* name : {"", "a", ".tmp0123456789abcdef", "a.tmp0123456789abcde",
                           "a.tmp0123456789abcdeg", "a.tmp123", "a.tmp"}) {
    EXPECT_EQ(without_temporary_ending(name), "") << name;
  }
}

}  // namespace
}  // namespace haptic
