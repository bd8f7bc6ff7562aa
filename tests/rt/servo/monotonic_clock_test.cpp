#include "rt/servo/monotonic_clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace haptic {
namespace {

int sleeps = 0;
int refuse(const timespec&) {
  ++sleeps;
  return sleeps % 2 == 1 ? EINTR : ENOTSUP;
}

TEST(MonotonicClock, a_refused_wait_waits_by_other_means_and_is_counted) {
  MonotonicClock clock(refuse);
  for (std::uint64_t k = 1; k <= 3; ++k) {
    const std::int64_t deadline = clock.now_ns() + 3'000'000;
    clock.sleep_until(deadline);
    EXPECT_GE(clock.now_ns(), deadline);
    EXPECT_EQ(clock.failed_sleeps(), k);
  }
  EXPECT_EQ(sleeps, 6);   // a signal is waited through, a refusal is not asked again
  clock.sleep_until(-5);  // has passed
  EXPECT_EQ(sleeps, 6);
}

TEST(MonotonicClock, waits_and_measures_how_long_the_machine_was_suspended) {
  MonotonicClock clock;
  const std::int64_t deadline = clock.now_ns() + 2'000'000;
  clock.sleep_until(deadline);
  EXPECT_GE(clock.now_ns(), deadline);
  EXPECT_EQ(clock.failed_sleeps(), 0u);
  EXPECT_GE(clock.read().now_ns, deadline);
  std::int64_t longest = clock.read().suspended_ns;
  for (int k = 0; k < 100; ++k) longest = std::max(longest, clock.read().suspended_ns);
  // The two reads in the other order: too long by what passes between them, never too short.
  timespec mono{}, boot{};
  clock_gettime(CLOCK_MONOTONIC, &mono);
  clock_gettime(CLOCK_BOOTTIME, &boot);
  const std::int64_t upper =
      (boot.tv_sec - mono.tv_sec) * 1'000'000'000 + (boot.tv_nsec - mono.tv_nsec);
  EXPECT_LE(longest, upper);
  EXPECT_GE(longest, -1'000'000);
}

}  // namespace
}  // namespace haptic
