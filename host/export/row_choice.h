#pragma once

#include <cstdint>
#include <vector>

#include "host/log/log_reader.h"
#include "host/log/time_range.h"

namespace haptic {

/// Which rows of a log are exported.
struct RowChoice {
  double from_s = 0.0;        ///< first time [s]
  double until_s = kNoEnd_s;  ///< last time [s]
  std::uint64_t every = 1;    ///< of the rows in this time each `every`-th, from the first on
  double fps = 0.0;           ///< > 0: instead, the row at or after each multiple of 1/fps
};

/// The chosen rows, ascending and each once.
/// @throws InputError if there is none
std::vector<std::uint64_t> chosen_rows(const LogReader& log, const RowChoice& choice);

}  // namespace haptic
