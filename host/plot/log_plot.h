#pragma once

#include <filesystem>

#include "host/log/log_reader.h"

namespace haptic {

struct PlotSettings {
  int width = 1200;        ///< pixels
  int height = 1000;       ///< pixels
  double from_s = 0.0;     ///< first time shown [s]
  double until_s = 1e300;  ///< last time shown [s]
};

/// Plots the panels of a log (plot_panels.h) with gnuplot to a PNG, against time.
/// @throws InputError if no row falls into the time range, OperationError if gnuplot is missing or
/// fails
void plot_log(const LogReader& log, const PlotSettings& settings,
              const std::filesystem::path& picture);

}  // namespace haptic
