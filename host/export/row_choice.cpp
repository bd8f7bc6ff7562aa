#include "host/export/row_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "shared/error.h"

namespace haptic {

std::vector<std::uint64_t> chosen_rows(const LogReader& log, const RowChoice& choice) {
  const std::vector<double> time = log.column("/samples/time_s");
  const auto begin = std::ranges::lower_bound(time, choice.from_s) - time.begin();
  const auto end = std::ranges::upper_bound(time, choice.until_s) - time.begin();
  if (begin >= end) {
    throw InputError(log.path().string(), "time range",
                     fmt::format("no row between {} s and {} s", choice.from_s, choice.until_s),
                     time.empty() ? "a log with rows"
                                  : fmt::format("some of {} s to {} s", time.front(), time.back()));
  }
  std::vector<std::uint64_t> rows;
  if (choice.fps <= 0.0) {
    const auto step =
        static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(choice.every, time.size()));
    for (auto row = begin; row < end; row += step) rows.push_back(static_cast<std::uint64_t>(row));
    return rows;
  }
  const double start = time[static_cast<std::size_t>(begin)];
  // Times are multiples of the cycle; half of one is lost in rounding.
  const double slack = 0.5 / log.description().rate_hz * 1e-3;
  std::uint64_t frame = 0;
  while (true) {
    const double wanted = start + static_cast<double>(frame) / choice.fps - slack;
    const auto row =
        std::lower_bound(time.begin() + begin, time.begin() + end, wanted) - time.begin();
    if (row >= end) return rows;
    if (rows.empty() || static_cast<std::uint64_t>(row) != rows.back()) {
      rows.push_back(static_cast<std::uint64_t>(row));
    }
    // The frames up to this row's time, as those in a gap, are this row.
    const double passed = (time[static_cast<std::size_t>(row)] - start + slack) * choice.fps;
    frame = std::max(frame, static_cast<std::uint64_t>(std::max(0.0, passed))) + 1;
  }
}

}  // namespace haptic
