#pragma once

#include <string>

#include "host/report/log_summary.h"
#include "shared/progress.h"

namespace haptic {

/// The plots of a log as HTML images (SVG). @throws OperationError if gnuplot is missing or fails
std::string plots_html(const LogReader& log);

/// Histograms of the cycle's times as an HTML image. @throws as plots_html
std::string histograms_html(const std::vector<CycleTimes>& times);

/// Pictures of the scene at the strongest contacts as HTML figures; a paragraph with the reason
/// where they cannot be drawn.
std::string scene_pictures_html(const LogReader& log, const Progress& progress = {});

}  // namespace haptic
