#pragma once

#include <string>
#include <vector>

#include "host/log/log_quantity.h"
#include "host/plot/plot_panels.h"

namespace haptic {

/// Which quantities are drawn, and against what.
struct ColumnChoice {
  /// A panel each; names of one panel are joined by '+' (log_quantity.h).
  std::vector<std::string> panels{};
  std::string against{};   ///< name of the quantity on the axis x; empty: time
  bool spectrum = false;   ///< amplitude spectral densities against the frequency
  double segment_s = 0.0;  ///< of a spectrum [s]; 0: of the number of rows
};

/// The chosen panels of a log.
/// @param progress  told the fraction of the panels done; may be empty
/// @throws InputError for an unknown column, a panel of more than 32 curves, an x of several
///         numbers, or a run too short for a spectrum
std::vector<PlotPanel> column_panels(const LogReader& log, const PlotRows& rows,
                                     const ColumnChoice& choice, const Progress& progress = {});

/// "gap.norm [m]", "frequency [Hz]", "time [s]".
std::string x_axis_label(const LogReader& log, const ColumnChoice& choice);

}  // namespace haptic
