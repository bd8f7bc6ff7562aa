#include "host/monitor/metric_lines.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <sstream>

namespace haptic {
namespace {

TEST(MetricLines, a_metric_has_help_type_and_the_common_labels) {
  MetricLines out(MetricLabels{{"daemon", "d"}});
  out.begin("haptic_force_newtons", "gauge", "Force.");
  out.value(0.1, {{"axis", "x"}});
  out.count(std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(out.text(),
            "# HELP haptic_force_newtons Force.\n"
            "# TYPE haptic_force_newtons gauge\n"
            "haptic_force_newtons{daemon=\"d\",axis=\"x\"} 0.1\n"
            "haptic_force_newtons{daemon=\"d\"} 18446744073709551615\n");
}

TEST(MetricLines, without_labels_there_are_no_braces) {
  MetricLines out(MetricLabels{});
  out.begin("a", "gauge", "A.");
  out.count(1);
  EXPECT_NE(out.text().find("\na 1\n"), std::string::npos);
}

TEST(MetricLines, values_that_are_not_finite_have_names) {
  MetricLines out(MetricLabels{});
  out.begin("a", "gauge", "A.");
  for (const double v : {std::nan(""), HUGE_VAL, -HUGE_VAL}) out.value(v);
  EXPECT_NE(out.text().find("a NaN\na +Inf\na -Inf\n"), std::string::npos) << out.text();
}

TEST(MetricLines, a_label_cannot_end_its_quotes_or_its_line) {
  MetricLines out(MetricLabels{{"daemon", "a\"} 1\nhaptic_up 7\\\t\x7f"}});
  out.begin("a", "gauge", "A.");
  out.count(1);
  EXPECT_NE(out.text().find("\na{daemon=\"a\\\"} 1\\\\x0ahaptic_up 7\\\\\\\\x09\\\\x7f\"} 1\n"),
            std::string::npos)
      << out.text();
}

TEST(MetricLines, bytes_that_are_not_utf8_are_escaped) {
  MetricLines out(MetricLabels{{"daemon", "caf\xc3\xa9 \xff"}});
  out.begin("a", "gauge", "A.");
  out.count(1);
  EXPECT_NE(out.text().find("caf\xc3\xa9 \\\\xff\""), std::string::npos) << out.text();
}

/// Every bound counts exactly what is at or below it, one nanosecond decides.
TEST(MetricLines, the_counts_of_a_histogram_are_exact_at_its_bounds) {
  const auto histogram = std::make_unique<Histogram>();
  for (const std::int64_t ns : {0, 511, 512, 1023, 1024, 134'217'727, 134'217'728}) {
    histogram->record(ns);
  }
  MetricLines out(MetricLabels{});
  out.begin("t", "histogram", "T.");
  out.histogram(*histogram, {{"of", "x"}});
  std::istringstream text(out.text());
  std::string line;
  std::vector<std::string> lines;
  while (std::getline(text, line)) lines.push_back(line);
  ASSERT_EQ(lines.size(), 2u + 19u + 3u);
  EXPECT_EQ(lines[2], "t_bucket{of=\"x\",le=\"5.11e-07\"} 2");
  EXPECT_EQ(lines[3], "t_bucket{of=\"x\",le=\"1.023e-06\"} 4");
  EXPECT_EQ(lines[4], "t_bucket{of=\"x\",le=\"2.047e-06\"} 5");
  EXPECT_EQ(lines[20], "t_bucket{of=\"x\",le=\"0.134217727\"} 6");
  EXPECT_EQ(lines[21], "t_bucket{of=\"x\",le=\"+Inf\"} 7");
  EXPECT_EQ(lines[22], "t_sum{of=\"x\"} 0.268438525");
  EXPECT_EQ(lines[23], "t_count{of=\"x\"} 7");
}

}  // namespace
}  // namespace haptic
