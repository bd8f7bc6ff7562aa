#include "rt/guard/heartbeat.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace haptic {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(Heartbeat, nothing_is_expected_before_the_first_beat) {
  Heartbeat heartbeat(10 * kMs);
  for (std::int64_t t = 0; t < 10'000 * kMs; t += 100 * kMs) EXPECT_TRUE(heartbeat.hear(0, t));
  EXPECT_EQ(heartbeat.still_ns(10'000 * kMs), 0);
}

TEST(Heartbeat, a_pause_longer_than_the_limit_is_a_hang) {
  Heartbeat heartbeat(10 * kMs);
  EXPECT_TRUE(heartbeat.hear(7, 1000 * kMs));
  EXPECT_TRUE(heartbeat.hear(7, 1010 * kMs));
  EXPECT_FALSE(heartbeat.hear(7, 1010 * kMs + 1));
  EXPECT_EQ(heartbeat.still_ns(1012 * kMs), 12 * kMs);
}

TEST(Heartbeat, any_change_counts_as_a_beat) {
  Heartbeat heartbeat(10 * kMs);
  std::int64_t t = 0;
  for (const std::uint64_t count : {1u, 5u, 4u, 1000u}) {
    EXPECT_TRUE(heartbeat.hear(count, t += 9 * kMs));
    EXPECT_TRUE(heartbeat.hear(count, t += 9 * kMs));
  }
}

}  // namespace
}  // namespace haptic
