#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/log/log_reader.h"
#include "shared/progress.h"

namespace haptic {

/// A place in which two logs differ.
struct LogDeviation {
  std::string column;
  std::uint64_t cycle = 0;
  std::size_t index = 0;  ///< of the number in the row
  double a = 0.0, b = 0.0;
};

struct ColumnDifference {
  std::string column;
  std::uint64_t cycles = 0;  ///< that differ
  double largest = 0.0;      ///< absolute; infinite where only one is a number
};

/// Events of two logs; those of the same number are compared.
struct EventDifference {
  std::uint64_t common = 0;                      ///< that both have
  std::uint64_t only_a = 0, only_b = 0;          ///< that the other lacks
  std::uint64_t differing = 0;                   ///< common ones with any difference
  std::map<std::string, std::uint64_t> columns;  ///< that differ, and in how many events
};

/// Which cycles, events, columns and descriptions of two logs differ.
struct LogDifference {
  std::uint64_t cycles = 0;               ///< compared: those that both have
  std::uint64_t only_a = 0, only_b = 0;   ///< cycles that the other lacks
  std::uint64_t differing = 0;            ///< cycles with any difference
  std::vector<LogDeviation> first;        ///< none, or the earliest
  std::vector<ColumnDifference> columns;  ///< that differ
  std::vector<std::string> descriptions;  ///< one line each: source, scene, rates, bodies, columns
  EventDifference events;
  bool is_empty() const {
    return only_a == 0 && only_b == 0 && differing == 0 && descriptions.empty() &&
           events.only_a == 0 && events.only_b == 0 && events.differing == 0;
  }
};

/// Compares two logs cycle by cycle and event by event, number by number; two that are not numbers
/// are equal.
/// @param times  compare /timing, the times of events and the blocks that follow measured times too
/// @param progress  told the fraction of the columns compared; may be empty
/// @throws InputError if one of them is damaged
LogDifference compare_logs(const LogReader& a, const LogReader& b, bool times,
                           const Progress& progress = {});

}  // namespace haptic
