#pragma once

#include <string>
#include <vector>

#include "host/log/log_reader.h"
#include "host/plot/curve_points.h"
#include "shared/progress.h"

namespace haptic {

/// One curve of a panel.
struct PlotCurve {
  std::string title;
  std::string points;  ///< a line "x y" each, in the units of the axes; an empty line interrupts it
  bool bars = false;   ///< drawn as vertical lines, as a histogram
};

struct PlotPanel {
  std::string label{};  ///< quantity and unit, printed beside the panel: "hand force [N]"
  std::vector<PlotCurve> curves{};
  bool logarithmic = false;
  bool paired = false;  ///< every second curve is dashed, in the colour of the one before
};

/// The rows of a log between two times, and where samples were lost among them.
/// @param from_start  times are counted from the log's first row, not from the daemon's start
/// @throws InputError if no row falls into the time range
PlotRows plot_rows(const LogReader& log, double from_s, double until_s, bool from_start = false);

/// The panels of a log against time: force on the hand, force on the held body (the tool), torque
/// on the hand, positions of both, the device port if its damping acted, the scalar state blocks,
/// and compute time and wake-up latency of a daemon's log.
///
/// Scalar blocks that have one folder ("chain" of "chain/energy") and one unit share a panel; a
/// block without a unit has a panel for itself. Blocks of more than four numbers, and those that
/// are always zero, are left out, and so is a torque that is always zero.
/// @param progress  told the fraction of the columns read; may be empty
std::vector<PlotPanel> plot_panels(const LogReader& log, const PlotRows& rows,
                                   const Progress& progress = {});

}  // namespace haptic
