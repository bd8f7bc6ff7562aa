#include "host/plot/curve_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace haptic {
namespace {

constexpr std::size_t kMaxPoints = 4000;  // more than pixels across

void append_point(std::string& text, double x, double y) {
  text += fmt::format("{:.6f} {:.9g}\n", x, y);
}

/// Calls `part` with each range of rows [first, last) without a gap inside it.
template <class Part>
void for_each_part(const PlotRows& rows, const Part& part) {
  std::size_t first = 0;
  for (const std::size_t gap : rows.gaps) {
    part(first, gap);
    first = gap;
  }
  part(first, rows.time.size());
}

/// Length of the range of the finite values; at least the smallest number.
double range_of(std::span<const double> values) {
  double low = INFINITY, high = -INFINITY;
  for (const double v : values) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  return high > low ? high - low : 1e-300;
}

}  // namespace

std::string time_curve(const PlotRows& rows, std::span<const double> values) {
  const std::size_t all = rows.time.size();
  std::string text;
  for_each_part(rows, [&](std::size_t begin, std::size_t end) {
    if (begin == end) return;
    if (!text.empty()) text += "\n";
    const std::size_t count = end - begin;
    const std::size_t bins =
        std::min(count, std::max<std::size_t>(1, kMaxPoints / 2 * count / all));
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const std::size_t first = begin + bin * count / bins;
      const std::size_t last = begin + (bin + 1) * count / bins;
      std::size_t low = last, high = last;
      bool finite = true;
      for (std::size_t row = first; row < last; ++row) {
        if (!std::isfinite(values[row])) {
          finite = false;
          continue;
        }
        if (low == last || values[row] < values[low]) low = row;
        if (high == last || values[row] > values[high]) high = row;
      }
      if (low < last) {
        append_point(text, rows.time[std::min(low, high)], values[std::min(low, high)]);
        if (low != high) {
          append_point(text, rows.time[std::max(low, high)], values[std::max(low, high)]);
        }
      }
      if (!finite) text += "\n";
    }
  });
  return text;
}

std::string phase_curve(const PlotRows& rows, std::span<const double> x,
                        std::span<const double> y) {
  const double dx = range_of(x) / kMaxPoints, dy = range_of(y) / kMaxPoints;
  std::string text;
  for_each_part(rows, [&](std::size_t begin, std::size_t end) {
    if (!text.empty()) text += "\n";
    bool first = true;
    double shown_x = 0.0, shown_y = 0.0;
    for (std::size_t row = begin; row < end; ++row) {
      if (!std::isfinite(x[row]) || !std::isfinite(y[row])) {
        if (!first) text += "\n";
        first = true;
        continue;
      }
      if (!first && std::abs(x[row] - shown_x) < dx && std::abs(y[row] - shown_y) < dy) continue;
      text += fmt::format("{:.9g} {:.9g}\n", x[row], y[row]);
      shown_x = x[row];
      shown_y = y[row];
      first = false;
    }
  });
  return text;
}

std::string plain_curve(std::span<const double> x, std::span<const double> y) {
  std::string text;
  for (std::size_t i = 0; i < x.size(); ++i) text += fmt::format("{:.9g} {:.9g}\n", x[i], y[i]);
  return text;
}

}  // namespace haptic
