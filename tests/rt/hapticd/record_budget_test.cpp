#include "rt/hapticd/record_budget.h"

#include <gtest/gtest.h>

namespace haptic {
namespace {

constexpr std::int64_t kStart = 5'000'000'000'000;

int taken(RecordBudget& budget, std::int64_t now_ns, int tries) {
  int count = 0;
  for (int i = 0; i < tries; ++i) count += budget.take(now_ns) ? 1 : 0;
  return count;
}

TEST(RecordBudget, gives_a_number_at_once_then_one_a_minute) {
  RecordBudget budget;
  EXPECT_EQ(taken(budget, kStart, 100), RecordBudget::kMax);
  EXPECT_EQ(taken(budget, kStart + RecordBudget::kRefill_ns - 1, 100), 0);
  EXPECT_EQ(taken(budget, kStart + RecordBudget::kRefill_ns, 100), 1);
  EXPECT_EQ(taken(budget, kStart + 3 * RecordBudget::kRefill_ns + 7, 100), 2);
}

TEST(RecordBudget, keeps_parts_of_a_minute_and_never_more_than_the_number) {
  RecordBudget budget;
  EXPECT_EQ(taken(budget, kStart, 100), RecordBudget::kMax);
  // A request every 0.7 minutes for 70 minutes: one record a minute is granted.
  int count = 0;
  for (int i = 1; i <= 100; ++i)
    count += taken(budget, kStart + i * RecordBudget::kRefill_ns * 7 / 10, 1);
  EXPECT_EQ(count, 70);
  EXPECT_EQ(taken(budget, kStart + 1000 * RecordBudget::kRefill_ns, 100), RecordBudget::kMax);
}

}  // namespace
}  // namespace haptic
