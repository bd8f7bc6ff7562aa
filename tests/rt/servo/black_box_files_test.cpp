#include "rt/servo/black_box_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
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
#include "shared/ipc/black_box_layout.h"
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
  void touch(const std::string& cycle, long seconds) const {
    const timespec time{seconds, 0};
    const timespec times[] = {time, time};
    const fs::path path = folder_ / ("hapticd-d-stale_input-cycle" + cycle + ".box");
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  /// A black box with a header. @returns its number
  std::uint32_t keep_numbered() const {
    BlackBoxHeader header{};
    header.magic = BlackBoxHeader::kMagic;
    header.number = next_black_box_number(folder_, "d");
    keep_black_box(folder_, "d", "stale_input-cycle" + std::to_string(header.number),
                   {std::as_bytes(std::span(&header, 1))});
    return header.number;
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
  EXPECT_EQ(kept.size(), kMaxBlackBoxFiles);
  // The new one and the 31 newest of the others.
  EXPECT_TRUE(kept.contains("hapticd-d-speed_limit-cycle7.box"));
  EXPECT_TRUE(kept.contains("hapticd-d-stale_input-cycle9.box"));
  EXPECT_FALSE(kept.contains("hapticd-d-stale_input-cycle8.box"));
}

TEST_F(BlackBoxFiles, removes_the_oldest_beyond_the_size) {
  constexpr std::uintmax_t kThird = kMaxBlackBoxBytes / 3;
  for (long i = 0; i < 3; ++i) {
    make("hapticd-d-stale_input-cycle" + std::to_string(i) + "-2.box", i, kThird);
  }
  // Three thirds (rounded down) and the new file are one byte more than the limit.
  keep(std::string(kMaxBlackBoxBytes - 3 * kThird + 1, 'x'));
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
  for (const std::string& other : others) make(other, 0, kMaxBlackBoxBytes);
  fs::create_directory(folder_ / "hapticd-d-speed_limit-cycle2.box");
  fs::create_symlink("notes.txt", folder_ / "hapticd-d-speed_limit-cycle3.box");
  for (int i = 0; i < 33; ++i) keep("new", "stale_input-cycle" + std::to_string(i));
  const std::set<std::string> kept = names();
  for (const std::string& other : others) EXPECT_TRUE(kept.contains(other)) << other;
  EXPECT_EQ(kept.size(), others.size() + 2 + kMaxBlackBoxFiles);
}

TEST_F(BlackBoxFiles, removes_what_a_killed_daemon_left_half_written) {
  const std::string half = "hapticd-d-speed_limit-cycle5.box.tmp";
  make(half + "1", 0);  // its writer is gone, although there is a process 1
  make(half + "2", 0);
  const int written = open((folder_ / (half + "2")).c_str(), O_RDONLY);
  ASSERT_EQ(flock(written, LOCK_EX), 0);
  keep("new");
  close(written);
  EXPECT_FALSE(names().contains(half + "1"));
  EXPECT_TRUE(names().contains(half + "2"));
}

TEST_F(BlackBoxFiles, the_newest_ones_stay_whatever_the_clock_says) {
  // As the clock was a year ahead, and then set back.
  for (std::uint32_t i = 1; i <= kMaxBlackBoxFiles; ++i) {
    EXPECT_EQ(keep_numbered(), i);
    touch(std::to_string(i), 2'000'000'000);
  }
  for (std::uint32_t i = 1; i <= 4; ++i) EXPECT_EQ(keep_numbered(), kMaxBlackBoxFiles + i);
  std::set<std::string> expected;
  for (std::uint32_t i = 5; i <= kMaxBlackBoxFiles + 4; ++i) {
    expected.insert("hapticd-d-stale_input-cycle" + std::to_string(i) + ".box");
  }
  EXPECT_EQ(names(), expected);
}

TEST_F(BlackBoxFiles, the_newest_one_stays_beside_one_of_any_size) {
  make("hapticd-d-stale_input-cycle1.box", 1, 1);
  make("hapticd-d-stale_input-cycle2.box", 2, kMaxBlackBoxBytes);
  keep("new");
  EXPECT_EQ(names(), (std::set<std::string>{"hapticd-d-speed_limit-cycle7.box",
                                            "hapticd-d-stale_input-cycle2.box"}));
}

TEST_F(BlackBoxFiles, files_of_another_user_neither_count_nor_are_removed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  make("hapticd-d-stale_input-cycle1.box", 1);
  make("hapticd-d-stale_input-cycle2.box", 2'000'000'000, kMaxBlackBoxBytes);
  make("hapticd-d-stale_input-cycle3.box.tmp5", 1);
  for (const char* name :
       {"hapticd-d-stale_input-cycle2.box", "hapticd-d-stale_input-cycle3.box.tmp5"}) {
    ASSERT_EQ(chown((folder_ / name).c_str(), 65534, 65534), 0);
  }
  keep("new");
  EXPECT_EQ(names().size(), 4u);
}

TEST_F(BlackBoxFiles, only_owner_and_group_may_read_whatever_the_umask) {
  for (const mode_t mask : {0000, 0777}) {
    const mode_t before = umask(mask);
    const fs::path path = keep("text");
    umask(before);
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0640u);
  }
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
