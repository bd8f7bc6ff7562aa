#include "host/plot/curve_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace haptic {
namespace {

PlotRows rows_of(std::size_t count) {
  PlotRows rows;
  for (std::size_t i = 0; i < count; ++i) rows.time.push_back(static_cast<double>(i));
  return rows;
}

TEST(CurvePoints, few_rows_are_all_written) {
  EXPECT_EQ(time_curve(rows_of(3), std::vector<double>{1.0, 5.0, 2.5}),
            "0.000000 1\n1.000000 5\n2.000000 2.5\n");
}

TEST(CurvePoints, lost_samples_and_values_that_are_not_finite_interrupt_the_line) {
  PlotRows rows = rows_of(4);
  rows.gaps = {2};
  EXPECT_EQ(time_curve(rows, std::vector<double>{1.0, 2.0, 3.0, 4.0}),
            "0.000000 1\n1.000000 2\n\n2.000000 3\n3.000000 4\n");
  EXPECT_EQ(time_curve(rows_of(3), std::vector<double>{1.0, NAN, 3.0}),
            "0.000000 1\n\n2.000000 3\n");
  EXPECT_EQ(phase_curve(rows, std::vector<double>{1.0, 2.0, 3.0, 4.0},
                        std::vector<double>{0.0, 1.0, NAN, 3.0}),
            "1 0\n2 1\n\n4 3\n");
}

TEST(CurvePoints, a_peak_of_one_row_among_a_million_is_kept) {
  std::vector<double> values(1'000'000, 0.0);
  values[777'777] = 9.5;
  values[123'456] = -3.0;
  const std::string text = time_curve(rows_of(values.size()), values);
  EXPECT_NE(text.find("777777.000000 9.5\n"), std::string::npos);
  EXPECT_NE(text.find("123456.000000 -3\n"), std::string::npos);
  EXPECT_LE(std::ranges::count(text, '\n'), 4002);
}

TEST(CurvePoints, a_phase_curve_leaves_out_what_no_pixel_shows) {
  std::vector<double> x, y;
  for (int i = 0; i < 1'000'000; ++i) {
    x.push_back(std::cos(1e-5 * i));  // one and a half turns
    y.push_back(std::sin(1e-5 * i));
  }
  const std::string text = phase_curve(rows_of(x.size()), x, y);
  // 10 rad of a circle of radius 1 in steps of 2 / 4000 in the larger direction.
  const auto points = std::ranges::count(text, '\n');
  EXPECT_LT(points, 10 * 2000 + 10);
  EXPECT_GT(points, 10 * 2000 / 2);
}

}  // namespace
}  // namespace haptic
