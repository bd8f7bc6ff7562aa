#include "host/log/time_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "shared/error.h"

namespace haptic {

std::pair<std::size_t, std::size_t> rows_between(const std::filesystem::path& log,
                                                 std::span<const double> time, double from_s,
                                                 double until_s) {
  const auto begin = std::ranges::lower_bound(time, from_s) - time.begin();
  const auto end = std::ranges::upper_bound(time, until_s) - time.begin();
  if (begin < end) return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end)};
  const std::string found = until_s < kNoEnd_s
                                ? fmt::format("no row between {} s and {} s", from_s, until_s)
                                : fmt::format("no row at {} s or later", from_s);
  throw InputError(log.string(), "time range", found,
                   time.empty() ? "a log with rows"
                                : fmt::format("some of {} s to {} s", time.front(), time.back()));
}

}  // namespace haptic
