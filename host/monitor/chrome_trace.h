#pragma once

#include <string>
#include <vector>

#include "shared/ipc/telemetry_reader.h"
#include "shared/progress.h"

namespace haptic {

/// The cycles of a daemon as Chrome's trace events (JSON), which ui.perfetto.dev and
/// chrome://tracing show: on the track "servo" each cycle with its stages, on "wake-up" how late it
/// began, counters of force and of the world's scalars (state blocks of one number), marks where
/// slots were missed or the state changed, and at commands and marks of operators.
/// Times are since the daemon's start [us].
/// couple, touch and move are shown if the world is stepped in the cycle; with a second rate
/// they belong to another thread, and their sum can exceed the cycle.
/// @param state    of the samples
/// @param samples  in order; gaps (lost samples) are allowed
/// @param happened  those before the first and after the last sample are left out
/// @param progress  told the fraction of the samples done; may be empty
std::string chrome_trace(const TelemetryHeader& header, const StateLayout& state,
                         const std::vector<TelemetrySample>& samples,
                         const std::vector<EventRecord>& happened, const Progress& progress = {});

}  // namespace haptic
