#include "host/export/row_choice.h"

#include <algorithm>
#include <cmath>

namespace haptic {

std::vector<std::uint64_t> chosen_rows(const LogReader& log, const RowChoice& choice) {
  const std::vector<double> time = log.times();
  const auto [first, last] = rows_between(log.path(), time, choice.from_s, choice.until_s);
  const auto begin = static_cast<std::ptrdiff_t>(first), end = static_cast<std::ptrdiff_t>(last);
  std::vector<std::uint64_t> rows;
  if (choice.fps <= 0.0) {
    const auto step =
        static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(choice.every, time.size()));
    for (auto row = begin; row < end; row += step) rows.push_back(static_cast<std::uint64_t>(row));
    return rows;
  }
  const double start = time[static_cast<std::size_t>(begin)];
  // Times are multiples of the cycle; a thousandth of one is lost in rounding.
  const double slack = 0.5e-3 / log.description().rate_hz;
  double last_frame = -1.0;
  for (auto row = begin; row < end; ++row) {
    // Frames whose time is that of this row or earlier; those in a gap are all this row.
    const double frame =
        std::floor((time[static_cast<std::size_t>(row)] - start + slack) * choice.fps);
    if (frame > last_frame) rows.push_back(static_cast<std::uint64_t>(row));
    last_frame = std::max(last_frame, frame);
  }
  return rows;
}

}  // namespace haptic
