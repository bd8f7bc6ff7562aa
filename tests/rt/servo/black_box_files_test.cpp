#include "rt/servo/black_box_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <span>
#include <string>

#include "shared/error.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

class BlackBoxFiles : public testing::Test {
 protected:
  void SetUp() override { fs::create_directory(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path keep(const std::string& text, const std::string& fault = "speed_limit-cycle7") {
    return keep_black_box(folder_, "d", fault, {std::as_bytes(std::span(text))});
  }
  /// A file that was last changed `age` seconds after the beginning of time.
  void make(const std::string& name, long age, std::uintmax_t size = 1) {
    std::ofstream(folder_ / name) << 'x';
    fs::resize_file(folder_ / name, size);  // without using space
    const timespec time{age, 0};
    const timespec times[] = {time, time};
    ASSERT_EQ(utimensat(AT_FDCWD, (folder_ / name).c_str(), times, 0), 0);
  }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }

  fs::path folder_ = fs::temp_directory_path() / test_name("boxes");
};

TEST_F(BlackBoxFiles, overwrites_none_and_leaves_nothing_else) {
  for (const char* const text : {"one", "two", "three"}) {
    const fs::path path = keep(text);
    std::ifstream file(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
  }
  EXPECT_EQ(names(), (std::set<std::string>{"hapticd-d-speed_limit-cycle7.box",
                                            "hapticd-d-speed_limit-cycle7-2.box",
                                            "hapticd-d-speed_limit-cycle7-3.box"}));
}

TEST_F(BlackBoxFiles, removes_the_oldest_beyond_the_number) {
  for (long i = 0; i < 40; ++i) make("hapticd-d-stale_input-cycle" + std::to_string(i) + ".box", i);
  keep("new");
  const std::set<std::string> kept = names();
  EXPECT_EQ(kept.size(), kMostBlackBoxFiles);
  // The new one and the 31 newest of the others.
  EXPECT_TRUE(kept.contains("hapticd-d-speed_limit-cycle7.box"));
  EXPECT_TRUE(kept.contains("hapticd-d-stale_input-cycle9.box"));
  EXPECT_FALSE(kept.contains("hapticd-d-stale_input-cycle8.box"));
}

TEST_F(BlackBoxFiles, removes_the_oldest_beyond_the_size) {
  constexpr std::uintmax_t kThird = kMostBlackBoxBytes / 3;
  for (long i = 0; i < 3; ++i) {
    make("hapticd-d-stale_input-cycle" + std::to_string(i) + "-2.box", i, kThird);
  }
  // Three thirds (rounded down) and the new file are one byte more than the limit.
  keep(std::string(kMostBlackBoxBytes - 3 * kThird + 1, 'x'));
  EXPECT_EQ(names(), (std::set<std::string>{"hapticd-d-speed_limit-cycle7.box",
                                            "hapticd-d-stale_input-cycle1-2.box",
                                            "hapticd-d-stale_input-cycle2-2.box"}));
}

TEST_F(BlackBoxFiles, leaves_the_files_of_others) {
  const std::set<std::string> others = {"hapticd-d-other-speed_limit-cycle1.box",
                                        "hapticd-e-speed_limit-cycle1.box",
                                        "hapticd-d-speed_limit-cycle.box",
                                        "hapticd-d-speed_limit-cycle1x.box",
                                        "hapticd-d-notes-cycle1.box",
                                        "hapticd-d-speed_limit-cycle1.csv",
                                        "hapticd-d-speed_limit-cycle1-.box",
                                        "notes.txt"};
  for (const std::string& other : others) make(other, 0, kMostBlackBoxBytes);
  fs::create_directory(folder_ / "hapticd-d-speed_limit-cycle2.box");
  fs::create_symlink("notes.txt", folder_ / "hapticd-d-speed_limit-cycle3.box");
  for (int i = 0; i < 33; ++i) keep("new", "stale_input-cycle" + std::to_string(i));
  const std::set<std::string> kept = names();
  for (const std::string& other : others) EXPECT_TRUE(kept.contains(other)) << other;
  EXPECT_EQ(kept.size(), others.size() + 2 + kMostBlackBoxFiles);
}

TEST_F(BlackBoxFiles, removes_what_a_killed_daemon_left_half_written) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  ASSERT_EQ(waitpid(gone, nullptr, 0), gone);
  const std::string half = "hapticd-d-speed_limit-cycle5.box.tmp";
  make(half + std::to_string(gone), 0);
  make(half + std::to_string(getppid()), 0);  // still being written
  keep("new");
  EXPECT_FALSE(names().contains(half + std::to_string(gone)));
  EXPECT_TRUE(names().contains(half + std::to_string(getppid())));
}

// As a full disk does, but without one.
TEST_F(BlackBoxFiles, a_file_that_cannot_be_completed_leaves_nothing) {
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      keep(std::string(8192, 'x'));
      _exit(1);
    } catch (const OperationError& error) {
      const std::string line = error.what();
      _exit(line.find("cannot write: File too large") != std::string::npos ? 0 : 2);
    }
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(names().empty());
}

}  // namespace
}  // namespace haptic
