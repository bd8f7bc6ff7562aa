#include "host/log/log_completeness.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "host/log/lost_events.h"

namespace haptic {
namespace {

struct Gaps {
  std::uint64_t count = 0, missing = 0;
};

/// Places where the numbers do not go on by one.
Gaps gaps_in(std::span<const double> numbers) {
  constexpr double kMax = 1e15;  // of a place, whatever a damaged log says
  Gaps gaps;
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    const double missing = numbers[i] - numbers[i - 1] - 1.0;
    if (!(missing > 0.0)) continue;
    ++gaps.count;
    gaps.missing += static_cast<std::uint64_t>(std::min(missing, kMax));
  }
  return gaps;
}

const char* places(std::uint64_t count) {
  return count == 1 ? "place" : "places";
}

}  // namespace

std::vector<std::string> completeness(const LogReader& log) {
  std::vector<std::string> lacks;
  const Hdf5Input& file = log.file();
  if (file.missing_bytes() > 0) {
    lacks.push_back(
        fmt::format("the file was cut off: its last {} bytes are missing", file.missing_bytes()));
  }
  if (!log.lost_samples()) {
    lacks.emplace_back(
        "the recording was not finished: it is still going on, its recorder was killed, or the "
        "disk "
        "was full; how many cycles were lost at its end is not known");
  } else if (!file.is_whole() && file.missing_bytes() == 0) {
    lacks.emplace_back("the file was not closed by its writer: its last rows may be missing");
  }
  if (log.stated_rows() > log.rows()) {
    lacks.push_back(fmt::format("{} of its {} cycles can be read", log.rows(), log.stated_rows()));
  }
  const Gaps cycles = gaps_in(log.cycles());
  if (cycles.count > 0) {
    lacks.push_back(fmt::format("{} cycles are missing in {} {}", cycles.missing, cycles.count,
                                places(cycles.count)));
  }
  const std::uint64_t lost_cycles = log.lost_samples().value_or(0);
  if (lost_cycles > cycles.missing) {
    lacks.push_back(
        fmt::format("{} cycles were lost outside of its rows", lost_cycles - cycles.missing));
  }
  const std::vector<EventRecord> events = log.events();
  const std::uint64_t stated = log.stated_events();
  if (stated > events.size()) {
    lacks.push_back(fmt::format("{} of its {} events can be read", events.size(), stated));
  }
  if (const std::string lost = lost_events(events).text(); !lost.empty()) lacks.push_back(lost);
  return lacks;
}

}  // namespace haptic
