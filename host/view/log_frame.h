#pragma once

#include <span>
#include <vector>

#include "host/log/log_description.h"
#include "host/log/log_reader.h"
#include "host/view/scene_frame.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// The scene as it was at one row of a log.
SceneFrame frame_of(const LogReader& log, std::uint64_t row);

/// The scene as a daemon's newest snapshot has it. @throws OperationError before its first cycle
SceneFrame frame_of(const TelemetryReader& reader);

/// The scene at one instant of a run: values of the layout's blocks of both rates.
/// @throws InputError if the bodies do not fit the layout
SceneFrame frame_of(const std::vector<LogBody>& bodies, const StateLayout& layout,
                    const SampleRecord& record, std::span<const double> state,
                    std::span<const float> display);

/// Row with the largest contact force; 0 if there was no contact.
std::uint64_t row_of_strongest_contact(const LogReader& log);

/// Row at or after `time_s`. @throws InputError if the log ends before
std::uint64_t row_at(const LogReader& log, double time_s);

}  // namespace haptic
