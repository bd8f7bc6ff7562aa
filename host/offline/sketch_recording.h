#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "host/reduction/force_samples.h"
#include "host/reduction/pulled_body.h"
#include "rt/device/hand_script.h"
#include "shared/progress.h"

namespace haptic {

/// How a hand's motion becomes force loads.
struct SketchRecording {
  double rate_hz = 100.0;  ///< samples a second
  double scale = 1.0;      ///< m of the body per m of the hand
};

/// The forces of a scripted hand on the grabbed vertex: a sample every 1/rate_hz from its first to
/// its last row; at the start the hand is at the rest position of the vertex.
/// @throws InputError if a setting is not > 0
std::vector<ForceSample> sketch_of_script(const PulledBody& body, std::uint32_t vertex,
                                          const HandScript& hand, const SketchRecording& settings);

/// The same with the hand of a running daemon, read from its telemetry, until `seconds` of its time
/// have passed, `stop` is set or it ends.
/// @param progress told the fraction of `seconds` that has passed; may be empty
/// @throws OperationError if there is no such daemon, or it ended before a sample was taken
std::vector<ForceSample> sketch_of_daemon(const PulledBody& body, std::uint32_t vertex,
                                          const std::string& daemon_name,
                                          std::optional<double> seconds,
                                          const SketchRecording& settings,
                                          const std::atomic<bool>& stop,
                                          const Progress& progress = {});

}  // namespace haptic
