#include "host/report/log_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "shared/error.h"
#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

using testing::ElementsAre;

class LogSummaryTest : public WrittenLogTest {
 protected:
  /// A thousand rows at 1 kHz of a daemon; force -7 N in row 300, two cycles lost before row 500,
  /// contact forces of 5 N in row 100, 4 N in row 110, 3 N in row 900; computes i + 1 us.
  LogReader log() const {
    Content content;
    content.rows = 1000;
    content.description.timing = true;
    content.description.state =
        StateLayout(std::vector<StateBlock>{{.name = "world/energy", .unit = "J"}});
    content.sample = [](std::uint64_t i) {
      SampleRecord record{};
      record.cycle = i + (i >= 500 ? 2 : 0);
      record.missed = 10 + (i >= 500 ? 2 : 0);
      record.state = i < 250 ? ServoState::kIdle : ServoState::kEngaged;
      record.fault = i >= 990 ? FaultKind::kSpeedLimit : FaultKind::kNone;
      record.limited = i == 7 ? kLimitedForce | kLimitedRamp : i < 20 ? kLimitedRamp : 0u;
      record.device_wrench.force_N[1] = i == 300 ? -7.0 : 0.0;
      record.contact_wrench.force_N[0] = i == 100 ? 5.0 : i == 110 ? 4.0 : i == 900 ? 3.0 : 0.0;
      record.total_ns = 1000 * (static_cast<std::int64_t>(i) + 1);
      return record;
    };
    content.state = [](std::uint64_t i) { return std::vector<double>{i == 20 ? -2.0 : 1.0}; };
    return written(content);
  }
  static LogExtreme extreme(const LogSummary& summary, const std::string& name) {
    const auto found = std::ranges::find(summary.extremes, name, &LogExtreme::name);
    return found == summary.extremes.end() ? LogExtreme{} : *found;
  }
};

TEST_F(LogSummaryTest, figures_are_those_of_the_rows) {
  const LogSummary s = summary_of(log());
  EXPECT_EQ(s.rows, 1000u);
  EXPECT_DOUBLE_EQ(s.last_s, 1.001);
  EXPECT_DOUBLE_EQ(s.engaged_s, 0.75);
  EXPECT_EQ(s.gaps, 1u);
  EXPECT_EQ(s.missed, 2u);
  EXPECT_EQ(s.limited, 1u);  // the ramp is none, as in the daemon's counter
  EXPECT_EQ(s.ramped, 20u);
  EXPECT_THAT(s.faults, ElementsAre("speed_limit"));
  EXPECT_EQ(extreme(s, "device_force.norm").value, 7.0);
  EXPECT_DOUBLE_EQ(extreme(s, "device_force.norm").time, 0.3);
  EXPECT_EQ(extreme(s, "world/energy").value, 2.0);
  EXPECT_EQ(extreme(s, "world/energy").unit, "J");
}

TEST_F(LogSummaryTest, percentiles_and_histogram_are_of_every_cycle) {
  const LogSummary s = summary_of(log());
  ASSERT_EQ(s.times.size(), 2u);
  const CycleTimes& compute = s.times[0];
  EXPECT_DOUBLE_EQ(compute.p50, 500.0);
  EXPECT_DOUBLE_EQ(compute.p99, 990.0);
  EXPECT_DOUBLE_EQ(compute.p999, 999.0);
  EXPECT_DOUBLE_EQ(compute.max, 1000.0);
  EXPECT_EQ(std::accumulate(compute.counts.begin(), compute.counts.end(), std::uint64_t{0}), 1000u);
  EXPECT_NEAR(compute.bins.front(), 1.0, 1e-12);
  EXPECT_NEAR(compute.bins.back(), 1000.0, 1e-9);
  EXPECT_EQ(compute.counts.front(), 1u);
}

TEST_F(LogSummaryTest, strongest_contacts_are_a_tenth_of_the_log_apart) {
  EXPECT_THAT(rows_of_strongest_contact(log(), 3), ElementsAre(100, 900));
  EXPECT_THAT(rows_of_strongest_contact(log(), 1), ElementsAre(100));
  EXPECT_THAT(rows_of_strongest_contact(written({}, "calm.h5"), 3), ElementsAre(0, 5, 9));
}

TEST_F(LogSummaryTest, an_empty_log_is_refused) {
  EXPECT_THROW(summary_of(written({.rows = 0}, "empty.h5")), InputError);
}

}  // namespace
}  // namespace haptic
