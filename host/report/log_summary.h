#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/log/log_reader.h"
#include "host/log/lost_events.h"

namespace haptic {

/// Largest absolute value of something over a log, and when.
struct LogExtreme {
  std::string name, unit;
  double value = 0.0;
  double time = 0.0;  ///< s, of the first row that has it
};

/// Percentiles of a time of a daemon's cycles [us], and its histogram.
struct CycleTimes {
  std::string name;
  double p50 = 0.0, p99 = 0.0, p999 = 0.0, max = 0.0;
  std::vector<double> bins{};           ///< upper edges [us], 40 to the decade
  std::vector<std::uint64_t> counts{};  ///< of each bin
};

/// Figures of a whole log.
struct LogSummary {
  std::uint64_t rows = 0;
  double first_s = 0.0, last_s = 0.0;
  double engaged_s = 0.0;               ///< rows in the state engaged, over the rate
  std::optional<std::uint64_t> lost{};  ///< samples that were not recorded; absent: not known
  std::uint64_t gaps = 0;               ///< places where samples are missing
  LostEvents lost_events{};
  std::uint64_t missed = 0;            ///< slots skipped between the first and the last row
  std::uint64_t limited = 0;           ///< rows whose wrench a limit cut, as `metrics` counts
  std::uint64_t ramped = 0;            ///< rows on the ramp after an engage
  std::uint64_t not_finite = 0;        ///< forces that are not finite
  std::vector<std::string> faults{};   ///< latched, each once, in order
  std::vector<LogExtreme> extremes{};  ///< forces, torques, gap, every scalar state block
  std::vector<CycleTimes> times{};     ///< compute and wake-up, of a daemon's log
};

/// @throws InputError if the log is empty or damaged
LogSummary summary_of(const LogReader& log);

/// Rows of the strongest contact, strongest first: at most `most`, a tenth of the log apart.
/// Without any contact force: the first, the middle and the last row.
std::vector<std::uint64_t> rows_of_strongest_contact(const LogReader& log, std::size_t most);

}  // namespace haptic
