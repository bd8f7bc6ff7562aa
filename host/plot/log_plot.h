#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/log/log_reader.h"
#include "host/log/time_range.h"
#include "host/plot/column_panels.h"
#include "host/plot/plot_figure.h"

namespace haptic {

struct PlotSettings {
  FigureSize size{};
  double from_s = 0.0;        ///< first time shown [s]
  double until_s = kNoEnd_s;  ///< last time shown [s]
  /// Times count from the log's first row; always so for several logs.
  bool from_start = false;
  ColumnChoice choice{};  ///< without panels: those of plot_panels.h, or the force
  std::string title{};
  bool marks = true;    ///< operators' marks and faults as lines
  Progress progress{};  ///< told the fraction done; may be empty
};

/// A log and its name in the legend.
struct PlottedLog {
  const LogReader* log;
  std::string label;
};

/// The figure of one log, or of several one over the other: panels with one label share a panel.
/// @throws InputError if no row of a log falls into the time range, and as column_panels
PlotFigure figure_of(std::span<const PlottedLog> logs, const PlotSettings& settings);

/// Draws the figure with gnuplot to a PNG, SVG or PDF, by the ending of the picture's name.
/// @throws InputError as figure_of; OperationError if gnuplot is missing or fails
void plot_logs(std::span<const PlottedLog> logs, const PlotSettings& settings,
               const std::filesystem::path& picture);

/// Marks and faults among the events of a log, on its axis of time.
std::vector<PlotMark> plot_marks(const LogReader& log, const PlotRows& rows);

}  // namespace haptic
