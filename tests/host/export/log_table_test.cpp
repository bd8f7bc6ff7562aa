#include "host/export/log_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "shared/error.h"
#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

class LogTableTest : public WrittenLogTest {
 protected:
  LogReader log(std::uint64_t rows) const {
    Content content;
    content.rows = rows;
    content.description.timing = true;
    content.sample = [](std::uint64_t i) {
      SampleRecord record{};
      record.cycle = i;
      // Beyond 2^53: not a double. 104 days after the machine's start.
      record.scheduled_ns = (std::int64_t{1} << 53) + 1 + static_cast<std::int64_t>(i);
      record.device_wrench.force_N[1] = 0.5 * static_cast<double>(i);
      return record;
    };
    return written(content);
  }
};

TEST_F(LogTableTest, the_time_comes_first_and_integers_stay_exact) {
  const LogReader reader = log(10);
  const LogTable table(reader, {"force.y", "timing/scheduled"}, {.every = 5});
  ASSERT_EQ(table.columns().size(), 3u);
  EXPECT_EQ(table.columns()[0].name, "time");
  EXPECT_EQ(table.columns()[1].unit, "N");
  int blocks = 0;
  table.for_each_block([&](const LogTable::Block& block) {
    ++blocks;
    EXPECT_EQ(std::get<std::vector<double>>(block[1]), (std::vector<double>{0.0, 2.5}));
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(block[2]),
              (std::vector<std::int64_t>{9007199254740993, 9007199254740998}));
  });
  EXPECT_EQ(blocks, 1);
}

TEST_F(LogTableTest, a_count_beyond_the_integers_of_a_table_is_refused) {
  Content content;
  content.sample = [](std::uint64_t i) {
    SampleRecord record{};
    record.cycle = i;
    record.world_step = ~std::uint64_t{0};
    return record;
  };
  const LogReader reader = written(content);
  const LogTable table(reader, {"world_step"}, {});
  EXPECT_THROW(table.for_each_block([](const LogTable::Block&) {}), InputError);
}

TEST_F(LogTableTest, a_long_log_comes_in_blocks_without_a_row_lost_or_doubled) {
  constexpr std::uint64_t kRows = 70'000;  // more than a block of 65536
  const LogReader reader = log(kRows);
  const LogTable table(reader, {"cycle"}, {.every = 3});
  std::int64_t expected = 0;
  int blocks = 0;
  table.for_each_block([&](const LogTable::Block& block) {
    ++blocks;
    for (const std::int64_t cycle : std::get<std::vector<std::int64_t>>(block[1])) {
      ASSERT_EQ(cycle, expected);
      expected += 3;
    }
  });
  EXPECT_EQ(blocks, 2);
  EXPECT_EQ(expected, 3 * static_cast<std::int64_t>(table.rows()));
  EXPECT_EQ(table.rows(), kRows / 3 + 1);
}

TEST_F(LogTableTest, a_column_twice_is_refused) {
  const LogReader reader = log(10);
  EXPECT_THROW(LogTable(reader, {"force", "force.y"}, {}), InputError);
}

}  // namespace
}  // namespace haptic
