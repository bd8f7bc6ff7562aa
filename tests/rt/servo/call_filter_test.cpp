#include "rt/servo/call_filter.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <functional>
#include <thread>

#include "lab/samples/spring_wall.h"
#include "rt/servo/haptic_cycle.h"
#include "rt/servo/loop_watch.h"
#include "rt/servo/monotonic_clock.h"
#include "rt/servo/servo_loop.h"

namespace haptic {
namespace {

/// Runs `work` on a new filtered thread. @returns calls refused meanwhile
std::uint64_t refused_in_this_handler(const std::function<void()>& work) {
  const std::uint64_t before = LoopWatch::forbidden_calls();
  std::string why_not;
  std::thread([&] {
    why_not = filter_calls();
    if (why_not.empty()) work();
  }).join();
  EXPECT_EQ(why_not, "");
  return LoopWatch::forbidden_calls() - before;
}

std::uint64_t refused_in(const std::function<void()>& work) {
  handle_forbidden_calls();
  return refused_in_this_handler(work);
}

class CallFilter : public testing::Test {
 protected:
  void SetUp() override {
    std::string why_not;
    std::thread([&] { why_not = filter_calls(); }).join();
    if (why_not == "a sanitizer's build") GTEST_SKIP() << why_not;
  }
};

TEST_F(CallFilter, the_calls_of_a_loop_are_allowed) {
  EXPECT_EQ(refused_in([] {
              const timespec moment{0, 1000};
              EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, nullptr), 0);
              timespec now{};
              EXPECT_EQ(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now), 0);
              rusage usage{};
              EXPECT_EQ(getrusage(RUSAGE_THREAD, &usage), 0);
              EXPECT_EQ(ioctl(-1, 0), -1);
              EXPECT_EQ(errno, EBADF);  // the kernel's own answer
            }),
            0u);
}

TEST_F(CallFilter, a_forbidden_call_is_refused_and_counted_and_the_thread_continues) {
  int errors[5] = {};
  int survived = 0;
  const std::uint64_t refused = refused_in([&] {
    const auto error_of = [](long result) { return result < 0 ? errno : 0; };
    errors[0] = error_of(open("/dev/null", O_RDONLY));
    errors[1] = error_of(write(STDERR_FILENO, "", 0));
    errors[2] = error_of(socket(AF_UNIX, SOCK_STREAM, 0));
    errors[3] = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
                    ? errno
                    : 0;
    errors[4] = error_of(syscall(SYS_gettid));
    survived = 1;
  });
  for (const int error : errors) EXPECT_EQ(error, EPERM);
  EXPECT_EQ(refused, 5u);
  EXPECT_EQ(survived, 1);
  EXPECT_EQ(LoopWatch::forbidden_call(), SYS_gettid);
}

TEST_F(CallFilter, memory_is_mapped_only_in_the_place_of_other_memory) {
  const int size = 4096, protection = PROT_READ | PROT_WRITE;
  void* const place = mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(place, MAP_FAILED);
  constexpr int kReplaces = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  bool replaced = false;
  EXPECT_EQ(refused_in([&] {
              static_cast<char*>(place)[0] = 1;
              replaced = mmap(place, size, protection, kReplaces, -1, 0) == place &&
                         static_cast<char*>(place)[0] == 0;
            }),
            0u);
  EXPECT_TRUE(replaced);
  for (const int flags : {MAP_PRIVATE | MAP_ANONYMOUS, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED,
                          kReplaces | MAP_POPULATE, kReplaces | MAP_HUGETLB}) {
    EXPECT_EQ(refused_in([&] {
                EXPECT_EQ(mmap(place, size, protection, flags, -1, 0), MAP_FAILED);
                EXPECT_EQ(errno, EPERM);
              }),
              1u)
        << flags;
  }
  munmap(place, size);
}

TEST_F(CallFilter, a_signal_of_another_process_changes_nothing) {
  handle_forbidden_calls();
  for (int i = 0; i < 2; ++i) ASSERT_EQ(kill(getpid(), SIGSYS), 0);
  int error = 0;
  EXPECT_EQ(refused_in_this_handler([&] { error = syscall(SYS_gettid) < 0 ? errno : 0; }), 1u);
  EXPECT_EQ(error, EPERM);
}

TEST_F(CallFilter, other_threads_are_not_filtered) {
  refused_in([] {});
  EXPECT_GE(syscall(SYS_gettid), 1);
}

TEST_F(CallFilter, the_real_loop_passes_and_a_device_with_a_forbidden_call_is_a_fault) {
  /// Opens a file in its tenth exchange, as a driver with a bug would.
  class CallingHand final : public Device {
   public:
    const DeviceCapabilities& capabilities() const HAPTIC_REALTIME override {
      return hand.capabilities();
    }
    [[nodiscard]] DeviceStatus sense(DeviceState& state) HAPTIC_REALTIME override {
      if (++exchanges == call_at) opened = open("/dev/null", O_RDONLY);
      return hand.sense(state);
    }
    [[nodiscard]] DeviceStatus actuate(const Wrench& wrench) HAPTIC_REALTIME override {
      return hand.actuate(wrench);
    }
    ScriptedHand hand;
    int exchanges = 0, call_at = -1, opened = 0;
  };
  for (const int call_at : {-1, 10}) {
    VirtualClock virtual_clock;
    SpringWall wall(virtual_clock);
    CallingHand hand;
    hand.call_at = call_at;
    CommandChannel commands;
    MemorySink sink;
    MonotonicClock clock;
    HapticCycle::Settings settings;
    settings.engage_at_start = true;
    settings.limits.overload_slots = ~std::uint64_t{0};
    settings.limits.overload_fraction = ServoLimits::kNone;
    HapticCycle cycle(hand, wall, clock, commands, sink, settings);
    ServoLoop loop(cycle, clock, settings.rate_hz);
    const std::uint64_t refused = refused_in([&] { loop.run(300); });
    EXPECT_EQ(refused, call_at > 0 ? 1u : 0u);
    EXPECT_EQ(cycle.cycles(), 300u);
    EXPECT_EQ(cycle.sample().fault, call_at > 0 ? FaultKind::kForbiddenCall : FaultKind::kNone);
    // Counted over the process, like allocations: one daemon, one loop.
    EXPECT_EQ(sink.statistics().counters.forbidden_calls, LoopWatch::forbidden_calls());
    if (call_at > 0) {
      EXPECT_EQ(hand.opened, -1);
      EXPECT_EQ(hand.hand.felt.force, Vector3::Zero());
    }
  }
}

TEST(CallFilterList, names_every_call_and_its_reason) {
  EXPECT_GE(allowed_calls().size(), 10u);
  for (const AllowedCall& call : allowed_calls()) {
    EXPECT_FALSE(call.name.empty());
    EXPECT_FALSE(call.why.empty());
    EXPECT_EQ(call_name(call.number), call.name);
  }
  EXPECT_EQ(call_name(SYS_openat), "system call 257");
}

}  // namespace
}  // namespace haptic
