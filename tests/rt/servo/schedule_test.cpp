#include "rt/servo/schedule.h"

#include <gtest/gtest.h>

namespace haptic {
namespace {

constexpr std::int64_t kTick = 1'000'000;

TEST(Schedule, deadlines_stay_on_the_grid) {
  Schedule schedule(kTick, 5'000'000);
  for (std::int64_t k = 0; k < 10; ++k) {
    ASSERT_EQ(schedule.next_ns(), 5'000'000 + k * kTick);
    const Slot slot = schedule.take(schedule.next_ns() + 17'000 * (k % 3));
    EXPECT_EQ(slot.deadline_ns, 5'000'000 + k * kTick);
    EXPECT_EQ(slot.lateness_ns, 17'000 * (k % 3));
    EXPECT_EQ(slot.skipped, 0u);
  }
}

TEST(Schedule, slots_that_passed_are_skipped_counted_and_not_caught_up) {
  Schedule schedule(kTick, 0);
  (void)schedule.take(0);
  const Slot late = schedule.take(4'300'000);  // meant for 1 ms
  EXPECT_EQ(late.deadline_ns, 4'000'000);
  EXPECT_EQ(late.lateness_ns, 3'300'000);
  EXPECT_EQ(late.skipped, 3u);
  EXPECT_EQ(schedule.next_ns(), 5'000'000);
}

TEST(Schedule, a_cycle_late_within_its_slot_skips_no_slot) {
  Schedule schedule(kTick, 0);
  const Slot slot = schedule.take(kTick - 1);
  EXPECT_EQ(slot.deadline_ns, 0);
  EXPECT_EQ(slot.skipped, 0u);
  const Slot next = schedule.take(2 * kTick);  // exactly one whole slot late
  EXPECT_EQ(next.deadline_ns, 2 * kTick);
  EXPECT_EQ(next.skipped, 1u);
}

}  // namespace
}  // namespace haptic
