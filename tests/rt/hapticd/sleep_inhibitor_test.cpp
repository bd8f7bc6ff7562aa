#include "rt/hapticd/sleep_inhibitor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

namespace haptic {
namespace {

using Held = SleepInhibitor::Held;

/// systemd-logind's place on a bus of the test's own: it gives out inhibitor locks and tells of
/// sleep.
class Logind {
 public:
  explicit Logind(bool may_block) : may_block_(may_block) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return;
    daemon_ = fork();
    if (daemon_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      execlp("dbus-daemon", "dbus-daemon", "--session", "--nofork", "--print-address", nullptr);
      _exit(127);
    }
    close(ends[1]);
    std::string address;
    for (char c; read(ends[0], &c, 1) == 1 && c != '\n';) address += c;
    close(ends[0]);
    if (address.empty()) return;
    setenv("DBUS_SYSTEM_BUS_ADDRESS", address.c_str(), 1);
    if (sd_bus_open_system(&bus_) < 0) return;
    static const sd_bus_vtable kTable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_METHOD("Inhibit", "ssss", "h", inhibit, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_SIGNAL("PrepareForSleep", "b", 0), SD_BUS_VTABLE_END};
    runs_ = sd_bus_add_object_vtable(bus_, nullptr, "/org/freedesktop/login1",
                                     "org.freedesktop.login1.Manager", kTable, this) >= 0 &&
            sd_bus_request_name(bus_, "org.freedesktop.login1", 0) >= 0;
    thread_ = std::thread([this] {
      while (!end_) {
        if (sleep_.exchange(false)) {
          sd_bus_emit_signal(bus_, "/org/freedesktop/login1", "org.freedesktop.login1.Manager",
                             "PrepareForSleep", "b", 1);
        }
        while (sd_bus_process(bus_, nullptr) > 0) {
        }
        sd_bus_wait(bus_, 10'000);
      }
    });
  }
  ~Logind() {
    end_ = true;
    if (thread_.joinable()) thread_.join();
    sd_bus_flush_close_unref(bus_);
    if (lock_ >= 0) close(lock_);
    if (daemon_ > 0) {
      kill(daemon_, SIGKILL);
      waitpid(daemon_, nullptr, 0);
    }
    unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
  }

  bool runs() const { return runs_; }
  int asked() const { return asked_; }
  void tell_of_sleep() { sleep_ = true; }
  /// Whether somebody still holds the lock that was given out last.
  bool held() const {
    pollfd end{lock_, 0, 0};
    return lock_ >= 0 && poll(&end, 1, 0) == 0;
  }

 private:
  static int inhibit(sd_bus_message* message, void* self, sd_bus_error* error) {
    auto& logind = *static_cast<Logind*>(self);
    const char *what, *who, *why, *mode;
    sd_bus_message_read(message, "ssss", &what, &who, &why, &mode);
    ++logind.asked_;
    if (std::string(what) != "sleep" || std::string(who) != "hapticd") return -EINVAL;
    if (std::string(mode) == "block" && !logind.may_block_) {
      return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "not for you");
    }
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return -errno;
    if (logind.lock_ >= 0) close(logind.lock_);
    logind.lock_ = ends[0];  // hangs up when the other end is closed
    const int result = sd_bus_reply_method_return(message, "h", ends[1]);
    close(ends[1]);
    return result;
  }

  bool may_block_;
  bool runs_ = false;
  pid_t daemon_ = -1;
  sd_bus* bus_ = nullptr;
  std::atomic<int> lock_{-1}, asked_{0};
  std::atomic<bool> end_{false}, sleep_{false};
  std::thread thread_;
};

void until(const std::function<bool()>& holds) {
  for (int i = 0; i < 6000 && !holds(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(holds());
}

TEST(SleepInhibitor, keeps_the_lock_while_it_is_requested) {
  Logind logind(true);
  ASSERT_TRUE(logind.runs());
  SleepInhibitor inhibitor([] {});
  EXPECT_EQ(inhibitor.held(), Held::kNothing);
  inhibitor.hold(true);
  until([&] { return inhibitor.held() == Held::kBlock; });
  EXPECT_TRUE(logind.held());
  inhibitor.hold(false);
  until([&] { return !logind.held(); });
  EXPECT_EQ(inhibitor.held(), Held::kNothing);
  inhibitor.hold(true);
  until([&] { return logind.held(); });
}

TEST(SleepInhibitor, with_a_delay_lock_it_reports_the_sleep_and_does_not_prevent_it) {
  Logind logind(false);
  ASSERT_TRUE(logind.runs());
  std::atomic<int> told{0};
  std::atomic<bool> held_then{false};
  SleepInhibitor inhibitor([&] {
    held_then = logind.held();
    ++told;
  });
  inhibitor.hold(true);
  until([&] { return inhibitor.held() == Held::kDelay; });
  EXPECT_EQ(logind.asked(), 2);
  logind.tell_of_sleep();
  until([&] { return told == 1; });
  EXPECT_TRUE(held_then);  // given back afterwards, not before
  until([&] { return !logind.held(); });
}

TEST(SleepInhibitor, the_lock_ends_with_the_daemon) {
  Logind logind(true);
  ASSERT_TRUE(logind.runs());
  {
    SleepInhibitor inhibitor([] {});
    inhibitor.hold(true);
    until([&] { return logind.held(); });
  }
  until([&] { return !logind.held(); });
}

TEST(SleepInhibitor, without_logind_it_takes_no_lock_and_does_not_block) {
  setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1);
  SleepInhibitor inhibitor([] {});
  inhibitor.hold(true);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(inhibitor.held(), Held::kNothing);
  unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
}

}  // namespace
}  // namespace haptic
