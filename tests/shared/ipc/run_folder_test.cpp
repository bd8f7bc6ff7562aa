#include "shared/ipc/run_folder.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "shared/error.h"
#include "tests/shared/ipc/test_name.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

/// A variable of the environment with another value, or none, for a while.
class Environment {
 public:
  Environment(const char* variable, const char* value) : variable_(variable) {
    if (const char* now = std::getenv(variable)) before_ = now;
    if (value != nullptr) {
      setenv(variable, value, 1);
    } else {
      unsetenv(variable);
    }
  }
  ~Environment() {
    if (before_) {
      setenv(variable_, before_->c_str(), 1);
    } else {
      unsetenv(variable_);
    }
  }

 private:
  const char* variable_;
  std::optional<std::string> before_;
};

bool any(const fs::path&) {
  return true;
}

class RunFolder : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_);
    chmod(folder_.c_str(), 0700);
  }
  void TearDown() override { fs::remove_all(folder_); }

  const fs::path folder_ = fs::temp_directory_path() / test_name("run-folder");
  const Environment no_service_{"RUNTIME_DIRECTORY", nullptr};
};

TEST_F(RunFolder, of_a_service_is_the_one_systemd_gives) {
  const Environment service("RUNTIME_DIRECTORY", (folder_.string() + ":/elsewhere").c_str());
  EXPECT_EQ(own_run_folder(), folder_);
  EXPECT_EQ(own_run_file("a", "lock"), folder_ / "a.lock");
}

TEST_F(RunFolder, of_a_session_is_in_its_runtime_folder_and_only_its_user_can_write) {
  const Environment session("XDG_RUNTIME_DIR", folder_.c_str());
  const mode_t before = umask(0077);
  EXPECT_EQ(own_run_folder(), folder_ / "hapticd");
  umask(before);
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "hapticd").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0755u);  // whatever the umask: files have separate modes
  EXPECT_EQ(own_run_folder(), folder_ / "hapticd");  // again, now that it is there
}

TEST_F(RunFolder, a_session_folder_that_others_may_write_is_not_used) {
  chmod(folder_.c_str(), 0777);
  const Environment session("XDG_RUNTIME_DIR", folder_.c_str());
  EXPECT_NE(own_run_folder().parent_path(), folder_);
}

TEST_F(RunFolder, one_that_others_may_write_is_refused) {
  const Environment service("RUNTIME_DIRECTORY", folder_.c_str());
  for (const mode_t mode : {0770, 0707, 0777}) {
    chmod(folder_.c_str(), mode);
    EXPECT_THROW(own_run_folder(), InputError) << mode;
  }
}

TEST_F(RunFolder, a_link_or_a_file_in_its_place_is_refused) {
  const fs::path place = folder_ / "place";
  const Environment service("RUNTIME_DIRECTORY", place.c_str());
  fs::create_directory_symlink(folder_, place);
  EXPECT_THROW(own_run_folder(), InputError);
  fs::remove(place);
  std::ofstream{place}.put('x');
  EXPECT_THROW(own_run_folder(), InputError);
}

TEST_F(RunFolder, of_another_user_is_refused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const Environment service("RUNTIME_DIRECTORY", folder_.c_str());
  ASSERT_EQ(chown(folder_.c_str(), 65534, 65534), 0);
  EXPECT_THROW(own_run_folder(), InputError);
}

TEST_F(RunFolder, a_tool_searches_the_folder_of_its_user_first) {
  const Environment session("XDG_RUNTIME_DIR", folder_.c_str());
  EXPECT_EQ(run_folders().front(), folder_ / "hapticd");
  const std::string name = test_name("find");
  EXPECT_EQ(find_run_file(name, "telemetry", any), folder_ / "hapticd" / (name + ".telemetry"));
  own_run_folder();
  std::ofstream{folder_ / "hapticd" / (name + ".telemetry")}.put('x');
  EXPECT_EQ(find_run_file(name, "telemetry", any), folder_ / "hapticd" / (name + ".telemetry"));
}

TEST_F(RunFolder, stays_the_same_when_a_login_session_begins) {
  const fs::path login = folder_ / "login";
  const Environment session("XDG_RUNTIME_DIR", login.c_str());
  const fs::path before = own_run_folder();
  ASSERT_EQ(before, "/dev/shm/hapticd-" + std::to_string(geteuid()));
  fs::create_directory(login);
  chmod(login.c_str(), 0700);
  EXPECT_EQ(own_run_folder(), before);
  // A tool that is started in the session also finds a daemon that was started before it.
  const fs::path file = before / (test_name("before-login") + ".telemetry");
  std::ofstream{file}.put('x');
  EXPECT_EQ(run_folders().front(), login / "hapticd");
  EXPECT_EQ(find_run_file(file.stem(), "telemetry", any), file);
  fs::remove(file);
}

TEST_F(RunFolder, unsuitable_folders_are_skipped) {
  const std::string name = test_name("suits");
  const Environment service("RUNTIME_DIRECTORY", (folder_ / "first").c_str());
  const Environment session("XDG_RUNTIME_DIR", folder_.c_str());
  for (const char* place : {"first", "hapticd"}) {
    fs::create_directory(folder_ / place);
    chmod((folder_ / place).c_str(), 0755);
    std::ofstream{folder_ / place / (name + ".x")}.put('x');
  }
  const fs::path first = folder_ / "first" / (name + ".x"),
                 second = folder_ / "hapticd" / (name + ".x");
  EXPECT_EQ(find_run_file(name, "x", any), first);
  EXPECT_EQ(find_run_file(name, "x", [&](const fs::path& path) { return path == second; }), second);
  EXPECT_EQ(find_run_file(name, "x", [](const fs::path&) { return false; }), first);
}

TEST_F(RunFolder, another_user_who_takes_its_name_keeps_nobody_from_working) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can act as several users";
  const Environment no_session("XDG_RUNTIME_DIR", "/nowhere");
  const auto user = static_cast<uid_t>(2'000'000 + getpid() % 100'000);
  const fs::path taken = "/dev/shm/hapticd-" + std::to_string(user);
  fs::create_directory(taken);
  ASSERT_EQ(chown(taken.c_str(), 65534, 65534), 0);
  const std::string name = test_name("taken");

  ASSERT_EQ(seteuid(user), 0);
  const fs::path own = own_run_folder();
  EXPECT_TRUE(own.string().starts_with(taken.string() + "-")) << own;
  EXPECT_EQ(own_run_folder(), own);  // made once
  std::ofstream{own / (name + ".stop")}.put('x');
  EXPECT_EQ(find_run_file(name, "stop", any), own / (name + ".stop"));
  EXPECT_EQ(find_own_run_file(name, "stop", any), own / (name + ".stop"));
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_EQ(find_run_file(name, "stop", any), own / (name + ".stop"));

  // Given back, the name does not hide what runs.
  fs::remove(taken);
  ASSERT_EQ(seteuid(user), 0);
  EXPECT_EQ(find_run_file(name, "stop", any), own / (name + ".stop"));
  const std::vector<fs::path> folders = own_run_folders();
  EXPECT_EQ(std::count(folders.begin(), folders.end(), own), 1);
  ASSERT_EQ(seteuid(0), 0);
  fs::remove_all(own);
  fs::remove_all(taken);
}

TEST_F(RunFolder, every_file_of_a_name_is_visited_this_users_own_first) {
  const std::string name = test_name("visit");
  const Environment service("RUNTIME_DIRECTORY", (folder_ / "first").c_str());
  const Environment session("XDG_RUNTIME_DIR", folder_.c_str());
  std::vector<fs::path> expected;
  for (const char* place : {"first", "hapticd"}) {
    fs::create_directory(folder_ / place);
    chmod((folder_ / place).c_str(), 0755);
    expected.push_back(folder_ / place / (name + ".x"));
    std::ofstream{expected.back()}.put('x');
  }
  std::vector<fs::path> visited;
  visit_run_files(name, "x", [&](const fs::path& path) { visited.push_back(path); });
  EXPECT_EQ(visited, expected);
}

TEST_F(RunFolder, an_owner_is_named_with_the_folder) {
  const struct passwd* me = getpwuid(geteuid());
  ASSERT_NE(me, nullptr);
  EXPECT_EQ(owner_of(folder_), "user " + std::string(me->pw_name) + ", " + folder_.string());
  EXPECT_EQ(owner_of("/nowhere"), "user unknown, /nowhere");
}

TEST_F(RunFolder, root_finds_daemons_of_other_users_and_no_user_finds_a_forged_one) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const std::string name = test_name("other");
  const auto user = static_cast<uid_t>(1'000'000 + getpid() % 100'000);
  const fs::path other = "/dev/shm/hapticd-" + std::to_string(user);
  fs::create_directory(other);
  std::ofstream{other / (name + ".telemetry")}.put('x');
  ASSERT_EQ(chown(other.c_str(), user, 65534), 0);
  EXPECT_EQ(find_run_file(name, "telemetry", any), other / (name + ".telemetry"));
  ASSERT_EQ(chown(other.c_str(), 65534, 65534), 0);  // now its owner is not the user in its name
  EXPECT_NE(find_run_file(name, "telemetry", any).parent_path(), other);
  ASSERT_EQ(chown(other.c_str(), user, 65534), 0);
  chmod(other.c_str(), 0777);
  EXPECT_NE(find_run_file(name, "telemetry", any).parent_path(), other);
  chmod(other.c_str(), 0755);
  // An ordinary user trusts root and the service, not any other user.
  ASSERT_EQ(seteuid(65533), 0);
  const auto folders = run_folders();
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_EQ(std::count(folders.begin(), folders.end(), other), 0);
  fs::remove_all(other);
}

TEST_F(RunFolder, a_forged_one_in_place_of_this_users_is_skipped) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  const std::string name = test_name("forged");
  const Environment session("XDG_RUNTIME_DIR", folder_.c_str());
  const fs::path forged = folder_ / "hapticd";
  fs::create_directory(forged);
  std::ofstream{forged / (name + ".stop")}.put('x');
  EXPECT_EQ(find_run_file(name, "stop", any).parent_path(), forged);
  ASSERT_EQ(chown(forged.c_str(), 65534, 65534), 0);
  EXPECT_NE(find_run_file(name, "stop", any).parent_path(), forged);
  EXPECT_NE(run_folders().front(), forged);
}

TEST_F(RunFolder, names_are_checked) {
  for (const char* bad : {"", "a/b", "..", "x y"}) {
    EXPECT_THROW(own_run_file(bad, "lock"), InputError) << bad;
    EXPECT_THROW(find_run_file(bad, "lock", any), InputError) << bad;
  }
}

TEST_F(RunFolder, a_file_is_trusted_only_as_its_folders_owner_made_it) {
  const fs::path file = folder_ / "file";
  std::ofstream{file}.put('x');
  struct stat status {};
  const auto trusted = [&](mode_t mode, mode_t type) {
    chmod(file.c_str(), mode);
    EXPECT_EQ(lstat(file.c_str(), &status), 0);
    return is_trusted(status, type, folder_);
  };
  EXPECT_TRUE(trusted(0644, S_IFREG));
  EXPECT_FALSE(trusted(0644, S_IFSOCK));
  EXPECT_FALSE(trusted(0664, S_IFREG));
  EXPECT_FALSE(trusted(0646, S_IFREG));
  chmod(folder_.c_str(), 0770);
  EXPECT_FALSE(trusted(0644, S_IFREG));
}

}  // namespace
}  // namespace haptic
