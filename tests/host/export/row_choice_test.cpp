#include "host/export/row_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/error.h"
#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

using testing::ElementsAre;

class RowChoiceTest : public WrittenLogTest {};

TEST_F(RowChoiceTest, rows_are_chosen_by_time_step_and_rate) {
  const LogReader log = written({});  // ten rows at 1 kHz
  EXPECT_THAT(chosen_rows(log, {.from_s = 0.0025, .until_s = 0.005}), ElementsAre(3, 4, 5));
  EXPECT_THAT(chosen_rows(log, {.every = 4}), ElementsAre(0, 4, 8));
  EXPECT_THAT(chosen_rows(log, {.every = std::uint64_t{1} << 40}), ElementsAre(0));
  EXPECT_THAT(chosen_rows(log, {.fps = 250.0}), ElementsAre(0, 4, 8));
  EXPECT_THAT(chosen_rows(log, {.from_s = 0.001, .fps = 500.0}), ElementsAre(1, 3, 5, 7, 9));
  // More frames than rows: each row once.
  EXPECT_EQ(chosen_rows(log, {.fps = 1e5}).size(), 10u);
}

TEST_F(RowChoiceTest, a_frame_in_a_gap_is_the_row_after_it) {
  Content content;
  content.sample = [](std::uint64_t i) {
    SampleRecord record{};
    record.cycle = i + (i >= 3 ? 100 : 0);
    return record;
  };
  EXPECT_THAT(chosen_rows(written(content), {.fps = 500.0}), ElementsAre(0, 2, 3, 4, 6, 8));
}

TEST_F(RowChoiceTest, no_row_is_an_error) {
  EXPECT_THROW(chosen_rows(written({}), {.from_s = 1.0}), InputError);
  EXPECT_THROW(chosen_rows(written({.rows = 0}, "empty.h5"), {}), InputError);
}

}  // namespace
}  // namespace haptic
