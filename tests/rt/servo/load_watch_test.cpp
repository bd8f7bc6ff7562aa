#include "rt/servo/load_watch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "rt/servo/sliding_sum.h"
#include "tests/rt/servo/cycle_fixture.h"

namespace haptic {
namespace {

constexpr std::int64_t kPeriod = 1'000'000;

TEST(SlidingSum, covers_its_window_and_at_most_a_part_more) {
  SlidingSum sum(0.32);  // parts of 10 ms
  sum.add(1.0, 0.001);
  double covered = 0.0;
  while (sum.sum() > 0.0) {
    sum.add(0.0, 0.001);
    covered += 0.001;
    ASSERT_LT(covered, 1.0);
  }
  EXPECT_GE(covered, 0.32);
  EXPECT_LE(covered, 0.33 + 1e-9);
}

TEST(SlidingSum, is_the_sum_of_what_is_in_the_window) {
  SlidingSum sum(0.1);
  for (int k = 0; k < 1000; ++k) sum.add(2.0, 0.001);
  EXPECT_GE(sum.sum(), 2.0 * 100 - 1e-9);
  EXPECT_LE(sum.sum(), 2.0 * 100 * (1.0 + 1.0 / SlidingSum::kParts) + 2.0);
  sum.add(7.0, 50.0);  // a pause of many windows: only what came with its end is left
  EXPECT_EQ(sum.sum(), 7.0);
  sum.clear();
  EXPECT_EQ(sum.sum(), 0.0);
}

/// Slots until the watch reports an overload, with cycles of `total_ns`, every `one_in`-th of which
/// takes that long; the others 0.1 ms.
std::uint64_t slots_to_overload(const ServoLimits& limits, std::int64_t total_ns, int one_in,
                                std::uint64_t most) {
  LoadWatch watch(limits, kPeriod);
  Schedule schedule(kPeriod, 0);
  std::int64_t now = 0;
  for (int k = 1;; ++k) {
    now = std::max(now, schedule.next_ns());
    const auto slots = static_cast<std::uint64_t>(now / kPeriod);
    if (slots >= most) return most;
    const Slot slot = schedule.take(now);
    const std::int64_t total = k % one_in == 0 ? total_ns : 100'000;
    now += total;
    if (watch.observe(slot, total)) return static_cast<std::uint64_t>(now / kPeriod);
  }
}

TEST(LoadWatch, twenty_late_or_missed_slots_in_a_row_are_too_many_and_nineteen_are_not) {
  EXPECT_EQ(slots_to_overload({}, 6'000'000, 1, 10'000), 24u);  // the fourth cycle of six slots
  ServoLimits row;
  row.overload_fraction = ServoLimits::kNone;
  LoadWatch watch(row, kPeriod);
  const Slot on_time{0, 0, 0};
  for (int again = 0; again < 3; ++again) {
    for (int k = 0; k < 19; ++k) ASSERT_FALSE(watch.observe(on_time, kPeriod + 1));
    ASSERT_FALSE(watch.observe(on_time, kPeriod));  // just in time
  }
  for (int k = 0; k < 19; ++k) ASSERT_FALSE(watch.observe(on_time, kPeriod + 1));
  EXPECT_TRUE(watch.observe(on_time, kPeriod + 1));
  watch.clear();
  EXPECT_FALSE(watch.observe({0, 19 * kPeriod, 19}, 0));
  EXPECT_TRUE(watch.observe({0, 20 * kPeriod, 20}, 0));  // one long sleep
}

TEST(LoadWatch, a_cycle_that_began_late_ends_late) {
  ServoLimits row;
  row.overload_slots = 1;
  EXPECT_FALSE(LoadWatch(row, kPeriod).observe({0, 400'000, 0}, 600'000));
  EXPECT_TRUE(LoadWatch(row, kPeriod).observe({0, 400'001, 0}, 600'000));
}

TEST(LoadWatch, overload_is_also_detected_without_a_long_run_of_late_slots) {
  // Every third cycle takes 1.5 slots: two bad slots... of which one is late and none is missed.
  const auto overload = [](int one_in, std::int64_t total) {
    return slots_to_overload({}, total, one_in, 20'000);
  };
  EXPECT_EQ(overload(20, 1'500'000), 20'000u);  // 5 %: an ordinary machine
  EXPECT_EQ(overload(4, 1'500'000), 20'000u);   // 25 %
  EXPECT_LE(overload(3, 1'500'000), 200u);      // 33 %
  // Six late slots of 25: 24 %. The window counts slots, including those that were skipped.
  EXPECT_EQ(overload(20, 6'000'000), 20'000u);
  ServoLimits tight;
  tight.overload_slots = ~std::uint64_t{0};
  const auto share_of = [&](double most) {
    tight.overload_fraction = most;
    return slots_to_overload(tight, 1'500'000, 4, 20'000);
  };
  // The window is up to 1/32 longer than its name: 25 % count as 25.8 %.
  EXPECT_EQ(share_of(0.2475 * 33.0 / 32.0 + 0.01), 20'000u);
  EXPECT_LE(share_of(0.2475), 201u);
}

class LoadWatchInCycle : public CycleFixture {};

TEST_F(LoadWatchInCycle, exchanges_of_six_periods_are_a_fault_in_a_fifth_of_a_second) {
  engage();
  const std::int64_t begin = clock_.now_ns();
  wall_.work_ns = 6'000'000;
  while (cycle_->state() == ServoState::kEngaged) {
    run();
    ASSERT_LT(clock_.now_ns() - begin, 1'000'000'000);
  }
  EXPECT_LE(clock_.now_ns() - begin, 30'000'000);
  run();  // the load is known at a cycle's end: the next one's output is zero
  expect_fault(FaultKind::kOverload);
}

TEST_F(LoadWatchInCycle, an_ordinary_machine_is_not_overloaded) {
  engage();
  for (int k = 0; k < 5000; ++k) {
    wall_.work_ns = k % 20 == 0 ? 1'400'000 : 300'000;  // 5 % late
    run();
  }
  wall_.work_ns = 20'000;
  clock_.pass(18'000'000);  // and one long sleep
  run(10);
  EXPECT_EQ(cycle_->state(), ServoState::kEngaged);
  EXPECT_EQ(sink_.statistics().counters.overruns, 250u);
}

TEST_F(LoadWatchInCycle, counts_only_where_a_force_acts) {
  run(3);
  wall_.work_ns = 6'000'000;
  run(100);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
  wall_.work_ns = 20'000;
  engage();
  run(100);
  EXPECT_EQ(cycle_->state(), ServoState::kEngaged);
}

TEST_F(LoadWatchInCycle, a_reset_clears_the_late_cycles) {
  engage();
  wall_.work_ns = 6'000'000;
  run(5);
  expect_fault(FaultKind::kOverload);
  wall_.work_ns = 20'000;
  EXPECT_EQ(command(CommandKind::kReset).answer, CommandAnswer::kApplied);
  run(50);
  EXPECT_EQ(cycle_->state(), ServoState::kIdle);
}

}  // namespace
}  // namespace haptic
