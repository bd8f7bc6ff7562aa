#pragma once

#include <filesystem>

#include "host/log/log_reader.h"
#include "shared/progress.h"

namespace haptic {

/// Writes one HTML page about a log, which needs no other file and no network and runs no script:
/// what was run, summary figures, histograms of the cycle's times, plots, events, and pictures of
/// the scene at the strongest contacts. Text of the log never becomes markup. Without a model or a
/// graphics driver the page says so in the pictures' place.
/// @throws InputError if the log is empty or damaged; OperationError if gnuplot is missing or the
///         page cannot be written
void write_report(const LogReader& log, const std::filesystem::path& page,
                  const Progress& progress = {});

}  // namespace haptic
