#include "host/log/log_difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "shared/error.h"
#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class LogDifferenceTest : public WrittenLogTest {
 protected:
  /// Ten cycles with force 1, 2, 3 and a block "chain/load" of two numbers.
  static Content content() {
    Content content;
    content.description.source = "simulate";
    content.description.state = StateLayout(
        std::vector<StateBlock>{{.name = "chain/load", .unit = "N", .shape = {2}},
                                {.name = "clock/delay", .unit = "s", .measured = true}});
    content.sample = sample;
    content.state = [](std::uint64_t) { return std::vector<double>{4.0, 5.0, 6.0}; };
    return content;
  }

  static SampleRecord sample(std::uint64_t i) {
    SampleRecord record{};
    record.cycle = i;
    for (int axis = 0; axis < 3; ++axis) record.device_wrench.force_N[axis] = axis + 1.0;
    return record;
  }

  LogDifference compared(const Content& a, const Content& b, bool times = false,
                         const Progress& progress = {}) const {
    written(a, "a.h5");
    written(b, "b.h5");
    return compare_logs(LogReader(folder_ / "a.h5"), LogReader(folder_ / "b.h5"), times, progress);
  }
};

TEST_F(LogDifferenceTest, equal_logs_have_no_difference) {
  const LogDifference difference = compared(content(), content());
  EXPECT_TRUE(difference.is_empty());
  EXPECT_EQ(difference.cycles, 10u);
  EXPECT_EQ(difference.differing, 0u);
  EXPECT_TRUE(difference.first.empty());
  EXPECT_TRUE(difference.columns.empty());
}

TEST_F(LogDifferenceTest, the_earliest_deviation_and_the_largest_of_each_column_are_found) {
  Content other = content();
  other.sample = [](std::uint64_t i) {
    SampleRecord record = sample(i);
    if (i == 4) record.device_wrench.force_N[1] = 2.5;
    if (i == 7) record.device_wrench.force_N[2] = 1.0;
    return record;
  };
  other.state = [](std::uint64_t i) {
    return std::vector<double>{4.0, i == 3 || i == 4 ? 4.75 : 5.0, 6.0};
  };
  const LogDifference difference = compared(content(), other);
  EXPECT_FALSE(difference.is_empty());
  EXPECT_EQ(difference.differing, 3u);  // cycles 3, 4 and 7, cycle 4 once
  ASSERT_EQ(difference.first.size(), 1u);
  const LogDeviation& first = difference.first[0];
  EXPECT_EQ(first.column, "/state/chain/load");
  EXPECT_EQ(first.cycle, 3u);
  EXPECT_EQ(first.index, 1u);
  EXPECT_EQ(first.a, 5.0);
  EXPECT_EQ(first.b, 4.75);
  ASSERT_EQ(difference.columns.size(), 2u);
  EXPECT_EQ(difference.columns[0].column, "/samples/device_force_N");
  EXPECT_EQ(difference.columns[0].cycles, 2u);
  EXPECT_EQ(difference.columns[0].largest, 2.0);
  EXPECT_EQ(difference.columns[1].cycles, 2u);
  EXPECT_EQ(difference.columns[1].largest, 0.25);
  EXPECT_TRUE(difference.descriptions.empty());
}

TEST_F(LogDifferenceTest, cycles_are_matched_by_number_and_those_of_one_log_counted) {
  Content a = content(), b = content();
  a.rows = 6;
  a.sample = [](std::uint64_t i) { return sample(10 + i); };  // 10 to 15
  b.rows = 4;
  b.sample = [](std::uint64_t i) {  // 8, 12, 14, 16
    constexpr std::uint64_t kCycles[] = {8, 12, 14, 16};
    SampleRecord record = sample(kCycles[i]);
    if (i == 2) record.device_wrench.force_N[0] = -1.0;
    return record;
  };
  const LogDifference difference = compared(a, b);
  EXPECT_EQ(difference.cycles, 2u);
  EXPECT_EQ(difference.only_a, 4u);
  EXPECT_EQ(difference.only_b, 2u);
  EXPECT_EQ(difference.differing, 1u);
  ASSERT_EQ(difference.first.size(), 1u);
  EXPECT_EQ(difference.first[0].cycle, 14u);
  EXPECT_EQ(difference.first[0].index, 0u);
}

TEST_F(LogDifferenceTest, cycles_of_one_log_alone_are_a_difference) {
  Content shorter = content();
  shorter.rows = 9;
  const LogDifference less = compared(content(), shorter);
  EXPECT_FALSE(less.is_empty());
  EXPECT_EQ(less.only_a, 1u);
  EXPECT_EQ(less.only_b, 0u);
  EXPECT_FALSE(compared(shorter, content()).is_empty());
}

TEST_F(LogDifferenceTest, two_that_are_not_numbers_are_equal_and_one_is_infinitely_far) {
  const auto with = [](double value) {
    Content changed = content();
    changed.state = [value](std::uint64_t) { return std::vector<double>{value, 5.0, 6.0}; };
    return changed;
  };
  EXPECT_TRUE(compared(with(kNan), with(kNan)).is_empty());
  EXPECT_TRUE(compared(with(kInfinity), with(kInfinity)).is_empty());
  for (const auto& [a, b] :
       {std::pair{kNan, 4.0}, {4.0, kNan}, {kInfinity, 4.0}, {kInfinity, -kInfinity}}) {
    const LogDifference difference = compared(with(a), with(b));
    ASSERT_EQ(difference.columns.size(), 1u) << a << b;
    EXPECT_EQ(difference.columns[0].largest, kInfinity) << a << b;
    EXPECT_EQ(difference.differing, 10u);
  }
}

TEST_F(LogDifferenceTest, measured_times_are_compared_only_where_asked_for) {
  Content a = content(), b = content();
  a.description.timing = b.description.timing = true;
  b.sample = [](std::uint64_t i) {
    SampleRecord record = sample(i);
    record.total_ns = 7;
    return record;
  };
  b.state = [](std::uint64_t) { return std::vector<double>{4.0, 5.0, 60.0}; };
  EXPECT_TRUE(compared(a, b).is_empty());
  const LogDifference difference = compared(a, b, true);
  EXPECT_EQ(difference.differing, 10u);
  ASSERT_EQ(difference.columns.size(), 2u);
  EXPECT_EQ(difference.columns[0].column, "/state/clock/delay");
  EXPECT_EQ(difference.columns[0].largest, 54.0);
  EXPECT_EQ(difference.columns[1].column, "/timing/total_ns");
  EXPECT_EQ(difference.columns[1].largest, 7.0);
}

TEST_F(LogDifferenceTest, descriptions_and_columns_that_differ_are_named) {
  Content a = content(), b = content();
  b.description.source = "daemon";
  b.description.scene_path = "/b.toml";
  b.description.rate_hz = 2000.0;
  b.description.length_scale = 3.0;
  a.description.bodies = {{.name = "cow", .model_path = "cow.h5", .model_hash = 1}};
  b.description.bodies = {{.name = "cat", .model_path = "cow.h5", .model_hash = 0xff},
                          {.name = "dog", .model_path = "dog.h5"}};
  b.description.state = StateLayout(std::vector<StateBlock>{
      {.name = "chain/load", .unit = "N", .shape = {3}}, {.name = "chain/energy", .unit = "J"}});
  b.state = [](std::uint64_t) { return std::vector<double>{4.0, 5.0, 5.5, 1.0}; };
  const LogDifference difference = compared(a, b);
  EXPECT_FALSE(difference.is_empty());
  const std::vector<std::string> expected = {"source: simulate and daemon",
                                             "scene:  and /b.toml",
                                             "rate_hz: 1000 and 2000",
                                             "length_scale: 1 and 3",
                                             "bodies: 1 and 2",
                                             "body: cow and cat",
                                             "model of cow: 0000000000000001 and 00000000000000ff",
                                             "only the second has /state/chain/energy",
                                             "/state/chain/load: 2 and 3 numbers a cycle"};
  EXPECT_EQ(difference.descriptions, expected);
  // The other way round, and with the measured block.
  const LogDifference back = compared(b, a, true);
  EXPECT_NE(std::ranges::find(back.descriptions, "only the first has /state/chain/energy"),
            back.descriptions.end());
  EXPECT_NE(std::ranges::find(back.descriptions, "only the second has /state/clock/delay"),
            back.descriptions.end());
}

EventRecord mark(std::uint64_t number, const char* text) {
  EventRecord event{};
  event.number = number;
  event.time_ns = static_cast<std::int64_t>(number);
  event.kind = EventKind::kCommand;
  event.command = CommandKind::kMark;
  std::snprintf(event.text, sizeof event.text, "%s", text);
  return event;
}

TEST_F(LogDifferenceTest, events_of_the_same_number_are_compared) {
  Content a = content(), b = content();
  a.description.timing = b.description.timing = true;
  a.events = {mark(3, "begin"), mark(4, "middle"), mark(5, "end")};
  b.events = a.events;
  b.events[0].time_ns = 77;
  EXPECT_TRUE(compared(a, b).is_empty());
  EXPECT_EQ(compared(a, b, true).events.columns.at("/events/time_ns"), 1u);
  b.events = {mark(4, "another"), mark(5, "end"), mark(6, "more")};
  b.events[1].kind = EventKind::kFault;
  b.events[1].cycle = 9;
  const LogDifference difference = compared(a, b);
  EXPECT_FALSE(difference.is_empty());
  EXPECT_EQ(difference.differing, 0u);
  EXPECT_EQ(difference.events.common, 2u);
  EXPECT_EQ(difference.events.only_a, 1u);
  EXPECT_EQ(difference.events.only_b, 1u);
  EXPECT_EQ(difference.events.differing, 2u);
  const std::map<std::string, std::uint64_t> columns = {
      {"/events/cycle", 1}, {"/events/kind", 1}, {"/events/text", 1}};
  EXPECT_EQ(difference.events.columns, columns);
}

TEST_F(LogDifferenceTest, progress_rises_from_0_to_less_than_1) {
  std::vector<double> told;
  compared(content(), content(), false, [&](double fraction) { told.push_back(fraction); });
  ASSERT_GT(told.size(), 10u);
  EXPECT_EQ(told.front(), 0.0);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_LT(told.back(), 1.0);
  EXPECT_GT(told.back(), 0.9);
}

}  // namespace
}  // namespace haptic
