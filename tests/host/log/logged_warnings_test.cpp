#include "host/log/logged_warnings.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "tests/host/log/written_log.h"

namespace haptic {
namespace {

class LoggedWarningsTest : public WrittenLogTest {
 protected:
  static constexpr double kRate_Hz = 1000.0;

  /// 300 rows; of 100 of them the block has `value` and a force limit acts.
  LogReader log(std::string_view block, double value) const {
    Content content;
    content.description.source = "simulate";
    content.description.rate_hz = kRate_Hz;
    content.description.state =
        StateLayout({{.name = "other/number"}, {.name = std::string(block)}});
    content.rows = 300;
    content.sample = [](std::uint64_t i) {
      SampleRecord record{};
      record.cycle = 1000 + i;
      if (i >= 100 && i < 200) record.limited = kLimitedForce;
      return record;
    };
    content.state = [value](std::uint64_t i) {
      return std::vector<double>{7.0, i >= 100 && i < 200 ? value : 0.0};
    };
    return written(content);
  }
};

TEST_F(LoggedWarningsTest, are_those_that_the_loop_would_have_counted) {
  const auto found = logged_warnings(log("coupling/excess", 0.8));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].warning->name, "coupling_saturated");
  EXPECT_EQ(found[1].warning->name, "force_limited");
  for (const WarningFinding& finding : found) {
    EXPECT_DOUBLE_EQ(finding.held_s(), 0.1);
    EXPECT_EQ(finding.record.last_cycle, 1199u);
  }
  EXPECT_EQ(found[0].record.largest, 0.8);
}

TEST_F(LoggedWarningsTest, a_log_without_the_blocks_has_those_of_the_limits) {
  const auto found = logged_warnings(log("an/older_block", 1e9));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].warning->name, "force_limited");
}

}  // namespace
}  // namespace haptic
