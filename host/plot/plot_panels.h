#pragma once

#include <string>
#include <vector>

#include "host/log/log_reader.h"

namespace haptic {

/// One curve over time.
struct PlotCurve {
  std::string title;
  std::string points;  ///< a line "time value" each, time in s, value in the unit of the panel
};

struct PlotPanel {
  std::string label{};  ///< quantity and unit, printed beside the panel: "hand force [N]"
  std::vector<PlotCurve> curves{};
  bool logarithmic = false;
  bool paired = false;  ///< every second curve is dashed, in the colour of the one before
};

/// The panels of a log between two times [s]: force on the hand, force on the held body (the tool),
/// positions of both, the device port if its damping acted, the scalar state blocks, and compute
/// time and wake-up latency of a daemon's log.
///
/// Scalar blocks that have one folder ("chain" of "chain/energy") and one unit share a panel; a
/// block without a unit has a panel for itself. Blocks of more than four numbers, and those that
/// are always zero, are left out.
/// @throws InputError if no row falls into the time range
std::vector<PlotPanel> plot_panels(const LogReader& log, double from_s, double until_s);

}  // namespace haptic
