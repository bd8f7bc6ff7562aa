#include "rt/device/external/link_server.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rt/device/external/external_outputs.h"
#include "rt/device/external/open_external.h"
#include "shared/error.h"
#include "shared/ipc/external_link_open.h"
#include "tests/rt/device/external/external_rig.h"

namespace haptic {
namespace {

namespace fs = std::filesystem;

/// A word of the shared memory, which the server's thread may be writing.
template <class T>
T seen(const T& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

/// A run folder of its own, and the server of a link in it.
class LinkServerTest : public ::testing::Test {
 protected:
  LinkServerTest() {
    std::string name = (fs::temp_directory_path() / "link-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    setenv("RUNTIME_DIRECTORY", folder_.c_str(), 1);
    server_.emplace(settings_, memory_, state_);
  }
  ~LinkServerTest() override {
    server_.reset();
    unsetenv("RUNTIME_DIRECTORY");
    fs::remove_all(folder_);
  }
  /// Whether it comes about; the time is only a bound of the test's own.
  static bool becomes(const std::function<bool()>& what) {
    for (int i = 0; i < 4000; ++i) {
      if (what()) return true;
      usleep(5000);
    }
    return false;
  }

  static DeviceManifest manifest() {
    return load_manifest(fs::path(HAPTIC_SOURCE_DIR) / "firmware-config/external-reference.toml");
  }

  fs::path folder_;
  ExternalSettings settings_ = shipped_external_settings();
  LinkMemory memory_{"test", 10'000'000};
  LinkState state_;
  std::optional<LinkServer> server_;
};

TEST_F(LinkServerTest, hands_over_the_memory_and_notices_the_end) {
  haptic_link link;
  ASSERT_EQ(haptic_link_open(&link, "reference"), 0) << link.problem;
  EXPECT_TRUE(becomes([&] { return state_.instance == link.instance; }));
  EXPECT_EQ(seen(memory_.shared().adapter_pid), getpid());
  haptic_link_pose pose{};
  pose.position[0] = 0.125;
  EXPECT_EQ(haptic_link_publish(&link, &pose), 0);
  EXPECT_EQ(seen(memory_.shared().newest_pose), 1u);
  EXPECT_FALSE(haptic_link_is_lost(&link));
  const std::uint64_t first = link.instance;
  haptic_link_close(&link);
  EXPECT_TRUE(becomes([&] { return state_.instance == 0; }));
  ASSERT_EQ(haptic_link_open(&link, "reference"), 0) << link.problem;
  EXPECT_GT(link.instance, first);
  EXPECT_TRUE(becomes([&] { return state_.instance == link.instance; }));
  EXPECT_EQ(seen(memory_.shared().newest_pose), 0u);  // nothing of the one before
  server_.reset();
  EXPECT_TRUE(haptic_link_is_lost(&link));
  haptic_link_close(&link);
}

// Where another user has taken the name of this user's folder in /dev/shm (run_folder.h).
TEST(LinkFolders, include_those_that_replace_a_folder_whose_name_was_taken) {
  const auto contain = [](const std::string& wanted) {
    char folder[128];
    int foreign = 0;
    for (int i = 0; haptic_link_folder(i, folder, sizeof folder, &foreign); ++i) {
      if (folder == wanted) return foreign == 0;
    }
    return false;
  };
  std::string name = "/dev/shm/hapticd-" + std::to_string(geteuid()) + "-XXXXXX";
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  std::string second = "/dev/shm/hapticd-" + std::to_string(geteuid()) + "-XXXXXX";
  ASSERT_NE(mkdtemp(second.data()), nullptr);
  EXPECT_TRUE(contain(name));
  EXPECT_TRUE(contain(second));
  ASSERT_EQ(chmod(name.c_str(), 0777), 0);
  EXPECT_FALSE(contain(name));
  EXPECT_TRUE(contain(second));
  fs::remove(name);
  fs::remove(second);
}

TEST_F(LinkServerTest, what_an_adapter_has_overwritten_does_not_keep_the_next_one_out) {
  haptic_link link;
  ASSERT_EQ(haptic_link_open(&link, "reference"), 0) << link.problem;
  std::memset(static_cast<void*>(link.memory), 0xff, sizeof *link.memory);
  haptic_link_close(&link);
  EXPECT_TRUE(becomes([&] { return state_.instance == 0; }));
  ASSERT_EQ(haptic_link_open(&link, "reference"), 0) << link.problem;
  EXPECT_EQ(seen(memory_.shared().wrench_max_age_ns), 10'000'000);
  EXPECT_EQ(seen(memory_.shared().newest_pose), 0u);
  haptic_link_close(&link);
}

TEST_F(LinkServerTest, a_second_adapter_is_refused_with_the_firsts_process) {
  haptic_link first, second;
  ASSERT_EQ(haptic_link_open(&first, "reference"), 0);
  EXPECT_EQ(haptic_link_open(&second, "reference"), -1);
  EXPECT_NE(std::string(second.problem).find("in use by process " + std::to_string(getpid())),
            std::string::npos)
      << second.problem;
  haptic_link_close(&first);
}

TEST_F(LinkServerTest, its_memory_cannot_be_cut_or_grown) {
  haptic_link link;
  ASSERT_EQ(haptic_link_open(&link, "reference"), 0);
  const int descriptor = memory_.descriptor();
  EXPECT_EQ(ftruncate(descriptor, 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(ftruncate(descriptor, 1 << 20), -1);
  EXPECT_EQ(fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE), -1);
  // What is possible is to punch a hole, which reads as zeros.
  ASSERT_EQ(fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                      sizeof(haptic_link_memory)),
            0);
  ExternalDevice device(settings_, memory_.shared(), state_);
  DeviceState heard;
  EXPECT_EQ(device.sense(heard), DeviceStatus::kOk);
  EXPECT_FALSE(heard.homed);
  haptic_link_close(&link);
}

TEST_F(LinkServerTest, wrong_hellos_floods_and_silence_leave_it_serving) {
  const auto hello_with = [&](std::uint64_t magic, std::uint64_t version, std::uint64_t role) {
    const int s = haptic_link_connect(folder_.c_str(), 0, "reference", 2000);
    const haptic_link_hello hello{magic, version, haptic_link_layout(), role};
    EXPECT_EQ(send(s, &hello, sizeof hello, MSG_NOSIGNAL), ssize_t(sizeof hello));
    haptic_link_welcome welcome{};
    int descriptor = -1;
    EXPECT_EQ(haptic_link_receive(s, &welcome, &descriptor), 0);
    EXPECT_EQ(descriptor, -1);
    close(s);
    return std::string(welcome.refusal);
  };
  EXPECT_NE(hello_with(1, 1, 1).find("another version"), std::string::npos);
  EXPECT_NE(hello_with(HAPTIC_LINK_MAGIC, 99, 1).find("another version"), std::string::npos);
  EXPECT_NE(hello_with(HAPTIC_LINK_MAGIC, HAPTIC_LINK_VERSION, 9).find("neither"),
            std::string::npos);
  for (int i = 0; i < 300; ++i) {  // more than may be pending
    const int s = haptic_link_connect(folder_.c_str(), 0, "reference", 2000);
    if (s >= 0 && i % 2 == 0) send(s, "x", 1, MSG_NOSIGNAL);
    if (s >= 0) close(s);
  }
  const int silent = haptic_link_connect(folder_.c_str(), 0, "reference", 2000);
  haptic_link link;
  EXPECT_TRUE(becomes([&] { return haptic_link_open(&link, "reference") == 0; })) << link.problem;
  EXPECT_TRUE(becomes([&] { return state_.instance == link.instance; }));
  // An adapter that talks is dropped, and cannot keep the thread busy.
  EXPECT_EQ(send(link.socket, "hello", 5, MSG_NOSIGNAL), 5);
  EXPECT_TRUE(becomes([&] { return state_.instance == 0; }));
  haptic_link_close(&link);
  close(silent);
}

TEST_F(LinkServerTest, a_process_of_another_user_is_refused_by_either_side) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  fs::permissions(folder_, fs::perms(0755));
  fs::permissions(folder_ / "device.reference.link", fs::perms(0777));
  const auto as_nobody = [&](int foreign, const char* folder) {
    const pid_t child = fork();
    if (child == 0) {
      if (setuid(65534) != 0) _exit(9);
      const int s = haptic_link_connect(folder, foreign, "reference", 2000);
      if (s < 0) _exit(1);  // the adapter does not trust the folder
      const haptic_link_hello hello{HAPTIC_LINK_MAGIC, HAPTIC_LINK_VERSION, haptic_link_layout(),
                                    HAPTIC_LINK_ADAPTER};
      send(s, &hello, sizeof hello, MSG_NOSIGNAL);
      haptic_link_welcome welcome{};
      int descriptor = -1;
      if (haptic_link_receive(s, &welcome, &descriptor) != 0) _exit(3);
      const std::string refusal = welcome.refusal;
      _exit(descriptor == -1 && refusal.find("user 65534 may not") == 0 ? 2 : 4);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(as_nobody(0, folder_.c_str()), 1);
  EXPECT_EQ(as_nobody(1, folder_.c_str()), 2);
  EXPECT_EQ(state_.instance, 0u);
  fs::permissions(folder_, fs::perms(0777));  // anybody could have put the socket there
  EXPECT_EQ(as_nobody(1, folder_.c_str()), 1);
}

TEST_F(LinkServerTest, an_unknown_adapter_user_is_refused_with_the_manifest) {
  settings_.link = "other";
  settings_.source = "mine.toml";
  settings_.adapter_user = "nobody-of-this-name";
  try {
    LinkServer(settings_, memory_, state_);
    ADD_FAILURE() << "not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("mine.toml: adapter_user"), std::string::npos)
        << error.what();
  }
}

TEST_F(LinkServerTest, a_hung_adapter_is_ended_where_the_manifest_says_so) {
  server_.reset();
  settings_.end_hung_adapter = true;
  server_.emplace(settings_, memory_, state_);
  const pid_t child = fork();
  if (child == 0) {
    haptic_link link;
    if (haptic_link_open(&link, "reference") != 0) _exit(1);
    for (;;) pause();
  }
  ASSERT_TRUE(becomes([&] { return state_.instance != 0; }));
  state_.hung = true;
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_TRUE(becomes([&] { return state_.instance == 0; }));
}

TEST_F(LinkServerTest, the_guard_demands_zero_and_waits_for_the_confirmation) {
  ExternalOutputs guard(manifest());
  EXPECT_EQ(guard.obstacle(getpid()), "");
  haptic_link link;
  ASSERT_EQ(haptic_link_open(&link, "reference"), 0) << link.problem;
  EXPECT_FALSE(guard.make_safe());
  EXPECT_NE(guard.describe().find("has not confirmed"), std::string::npos) << guard.describe();
  server_.reset();  // the daemon is dead; the memory is not
  EXPECT_NE(guard.obstacle(getpid()), "");
  EXPECT_FALSE(guard.make_safe());
  haptic_link_wrench wrench;
  EXPECT_FALSE(haptic_link_wrench_now(&link, &wrench));
  memory_.shared().instance = link.instance;  // as a daemon that was killed leaves it
  haptic_link_applied(&link);
  EXPECT_TRUE(guard.make_safe());
  EXPECT_NE(guard.describe().find("has applied zero"), std::string::npos) << guard.describe();
  haptic_link_close(&link);
}

TEST_F(LinkServerTest, an_adapter_that_ended_under_force_is_not_safe) {
  ExternalOutputs guard(manifest());
  ASSERT_EQ(guard.obstacle(getpid()), "");
  EXPECT_TRUE(guard.make_safe());
  EXPECT_NE(guard.describe().find("no force was ever demanded"), std::string::npos);
  __atomic_store_n(&memory_.shared().guard_zero, 0, __ATOMIC_RELEASE);  // its thread reads it
  ExternalDevice device(settings_, memory_.shared(), state_);
  haptic_link link;
  ASSERT_EQ(haptic_link_open(&link, "reference"), 0) << link.problem;
  ASSERT_TRUE(becomes([&] { return state_.instance == link.instance; }));
  DeviceState heard;
  EXPECT_EQ(device.sense(heard), DeviceStatus::kOk);
  device.set_enabled(true);
  EXPECT_EQ(device.actuate({Vector3(0.0, 1.0, 0.0), Vector3::Zero()}), DeviceStatus::kOk);
  haptic_link_close(&link);
  ASSERT_TRUE(becomes([&] { return state_.instance == 0; }));
  EXPECT_FALSE(guard.make_safe());
  EXPECT_NE(guard.describe().find("has ended and has not confirmed"), std::string::npos)
      << guard.describe();
}

TEST_F(LinkServerTest, without_the_memory_of_a_daemon_nothing_is_known) {
  ExternalOutputs guard(manifest());
  EXPECT_NE(guard.obstacle(getppid()).find("belongs to another process"), std::string::npos);
  EXPECT_FALSE(guard.make_safe());
  EXPECT_EQ(seen(memory_.shared().guard_zero), 0u);  // the other daemon's adapter goes on
  // A daemon that was killed leaves its socket behind.
  const fs::path socket = folder_ / "device.reference.link";
  fs::rename(socket, folder_ / "kept");
  server_.reset();
  fs::rename(folder_ / "kept", socket);
  EXPECT_NE(guard.obstacle(getppid()).find("Connection refused"), std::string::npos);
  EXPECT_FALSE(guard.make_safe());
  ExternalOutputs at_once(manifest());
  EXPECT_FALSE(at_once.make_safe());
  EXPECT_NE(at_once.describe().find("Connection refused"), std::string::npos) << at_once.describe();
  fs::remove(socket);
  EXPECT_FALSE(guard.make_safe());   // it has watched a daemon
  EXPECT_TRUE(at_once.make_safe());  // there is none
  EXPECT_NE(at_once.describe().find("no daemon has it"), std::string::npos);
}

TEST_F(LinkServerTest, connections_of_another_user_take_no_place) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  fs::permissions(folder_, fs::perms(0755));
  fs::permissions(folder_ / "device.reference.link", fs::perms(0777));
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(65534) != 0) _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // after a change of user, which clears it
    int closed = 0;
    char nothing[sizeof(haptic_link_welcome) + 1];
    for (int i = 0; i < 40; ++i) {
      const int s = haptic_link_connect(folder_.c_str(), 1, "reference", 2000);
      // The refusal, then the end, although it has said nothing.
      if (s >= 0 && recv(s, nothing, sizeof nothing, 0) == sizeof(haptic_link_welcome) &&
          recv(s, nothing, sizeof nothing, 0) <= 0) {
        ++closed;
      }
    }
    _exit(::write(ends[1], &closed, sizeof closed) == sizeof closed ? 0 : 1);
  }
  int closed = 0;
  EXPECT_EQ(::read(ends[0], &closed, sizeof closed), ssize_t(sizeof closed));
  EXPECT_EQ(closed, 40);
  waitpid(child, nullptr, 0);
  haptic_link link;
  EXPECT_EQ(haptic_link_open(&link, "reference"), 0) << link.problem;
  haptic_link_close(&link);
}

TEST_F(LinkServerTest, the_adapters_user_cannot_keep_the_guard_out) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  server_.reset();
  settings_.adapter_user = "nobody";
  server_.emplace(settings_, memory_, state_);
  fs::permissions(folder_, fs::perms(0755));
  fs::permissions(folder_ / "device.reference.link", fs::perms(0777));
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(65534) != 0) _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // after a change of user, which clears it
    int silent[64] = {};
    for (unsigned i = 0;; ++i) {  // ended by the test
      if (silent[i % 64] > 0) close(silent[i % 64]);
      silent[i % 64] = haptic_link_connect(folder_.c_str(), 1, "reference", 2000);
    }
  }
  // Kept out, it would wait for ever; a loaded machine takes seconds.
  for (int i = 0; i < 50; ++i) {
    haptic_link link;
    EXPECT_EQ(haptic_link_open_as(&link, "reference", HAPTIC_LINK_GUARD, 30'000), 0)
        << link.problem;
    haptic_link_close(&link);
    if (HasFailure()) break;
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

// Connections that have closed are dropped before the next one is admitted.
TEST_F(LinkServerTest, a_client_that_reconnects_at_once_finds_its_place_free) {
  for (int i = 0; i < 300; ++i) {
    haptic_link link;
    ASSERT_EQ(haptic_link_open(&link, "reference"), 0) << i << ": " << link.problem;
    haptic_link_close(&link);
    ASSERT_EQ(haptic_link_open_as(&link, "reference", HAPTIC_LINK_GUARD, 30'000), 0)
        << i << ": " << link.problem;
    haptic_link_close(&link);
  }
}

TEST_F(LinkServerTest, the_newest_of_silent_connections_keeps_its_place) {
  std::vector<int> silent;
  for (int i = 0; i < 8; ++i) {
    silent.push_back(haptic_link_connect(folder_.c_str(), 0, "reference", 2000));
  }
  haptic_link link;
  EXPECT_EQ(haptic_link_open(&link, "reference"), 0) << link.problem;
  haptic_link_close(&link);
  for (const int s : silent) close(s);
}

TEST_F(LinkServerTest, a_link_has_one_daemon) {
  server_.reset();
  const std::unique_ptr<Device> first = open_external(manifest());
  EXPECT_THROW(open_external(manifest()), InputError);
  haptic_link link;
  EXPECT_EQ(haptic_link_open(&link, "reference"), 0) << link.problem;  // the first still serves
  haptic_link_close(&link);
}

}  // namespace
}  // namespace haptic
