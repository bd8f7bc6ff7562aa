// Histograms of durations as lines of text.
#include "host/monitor/duration_bars.h"

#include <gtest/gtest.h>

#include <memory>

namespace haptic {
namespace {

class DurationBars : public testing::Test {
 protected:
  void record(std::int64_t ns, int count) {
    for (int i = 0; i < count; ++i) histogram_->record(ns);
  }
  std::vector<std::string> bars(std::size_t height, std::size_t width = 39) const {
    return duration_bars(*histogram_, height, width);
  }
  std::unique_ptr<Histogram> histogram_ = std::make_unique<Histogram>();
};

TEST_F(DurationBars, nothing_recorded_is_no_line) {
  EXPECT_TRUE(bars(6).empty());
}

TEST_F(DurationBars, a_line_an_octave_with_its_share) {
  record(1'500, 9'000);  // below 2^11 ns
  record(3'000, 999);    // below 2^12 ns
  record(7'000, 1);      // below 2^13 ns
  const auto lines = bars(6);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].substr(0, 10), "< 2.05 us ");
  EXPECT_NE(lines[0].find(" 90 %"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find(" 9.99 %"), std::string::npos) << lines[1];
  EXPECT_EQ(lines[2].substr(0, 10), "< 8.19 us ");
  EXPECT_NE(lines[2].find("# "), std::string::npos) << "one late cycle of 10,000 is seen";
  EXPECT_EQ(lines[2].substr(lines[2].find_last_not_of(' ')), "1") << "and counted";
}

TEST_F(DurationBars, octaves_beyond_the_height_are_in_the_first_line) {
  for (int k = 6; k < 30; ++k) record(std::int64_t{1} << k, 10);
  const auto lines = bars(4);
  ASSERT_EQ(lines.size(), 4U);
  // 24 octaves of ten: 21 of them in the first line, 87.5 %.
  EXPECT_NE(lines[0].find("87.5 %"), std::string::npos) << lines[0];
  EXPECT_NE(lines[3].find("< 1.07 s"), std::string::npos) << lines[3];
}

TEST_F(DurationBars, no_line_is_wider_than_asked) {
  record(0, 1);
  record(std::int64_t{1} << 50, 100'000);
  for (const std::size_t width : {0U, 5U, 19U, 20U, 39U, 200U}) {
    for (const std::string& line : bars(3, width)) EXPECT_LE(line.size(), width) << line;
  }
}

}  // namespace
}  // namespace haptic
