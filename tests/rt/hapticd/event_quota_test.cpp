#include "rt/hapticd/event_quota.h"

#include <gtest/gtest.h>

namespace haptic {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr uid_t kFlooder = 7, kOther = 8;

/// @returns how many of `commands` at one moment are events
std::int64_t taken(EventQuota& quota, uid_t user, std::int64_t commands, std::int64_t now,
                   bool executed = false) {
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < commands; ++i) count += quota.take(user, executed, now) ? 1 : 0;
  return count;
}

TEST(EventQuota, a_flood_is_limited_at_once_and_per_second) {
  EventQuota quota;
  EXPECT_EQ(taken(quota, kFlooder, 10'000, 5 * kSecond), EventQuota::kBurst);
  std::int64_t in_a_second = 0;
  for (int ms = 1; ms <= 1000; ++ms) {
    in_a_second += taken(quota, kFlooder, 100, 5 * kSecond + ms * (kSecond / 1000));
  }
  EXPECT_EQ(in_a_second, EventQuota::kPerSecond);
}

TEST(EventQuota, a_flood_costs_no_other_user_an_event) {
  EventQuota quota;
  taken(quota, kFlooder, 10'000, kSecond);
  EXPECT_EQ(taken(quota, kOther, 100, kSecond), 100);
}

TEST(EventQuota, a_flood_of_refused_commands_costs_no_executed_command) {
  EventQuota quota;
  taken(quota, kFlooder, 10'000, kSecond);
  EXPECT_EQ(taken(quota, kFlooder, 100, kSecond, true), 100);
}

TEST(EventQuota, what_is_left_out_is_counted_per_user_once_a_second) {
  EventQuota quota;
  EXPECT_TRUE(quota.collect(kSecond).empty());
  taken(quota, kFlooder, EventQuota::kBurst + 5, kSecond);
  taken(quota, kOther, EventQuota::kBurst + 3, kSecond, true);
  const auto left_out = quota.collect(kSecond);
  ASSERT_EQ(left_out.size(), 2u);
  EXPECT_EQ(left_out[0].user, kFlooder);
  EXPECT_EQ(left_out[0].commands, 5u);
  EXPECT_FALSE(left_out[0].has_executed);
  EXPECT_EQ(left_out[1].user, kOther);
  EXPECT_EQ(left_out[1].commands, 3u);
  EXPECT_TRUE(left_out[1].has_executed);

  taken(quota, kFlooder, 1, kSecond);
  EXPECT_TRUE(quota.collect(2 * kSecond - 1).empty());
  EXPECT_EQ(quota.collect(2 * kSecond).size(), 1u);
  EXPECT_TRUE(quota.collect(9 * kSecond).empty());
}

}  // namespace
}  // namespace haptic
