#pragma once

#include <filesystem>
#include <string>

#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// Writes every cycle still in the telemetry ring (the last seconds) as CSV with units in the
/// header line, and after them, in lines that begin with '#', what ran where (date, host, version,
/// device, scene, models with their hashes, parameters) and what operators did, to
/// `<folder>/hapticd-<daemon_name>-<fault>-cycle<N>.csv` with the newest fault and its first cycle,
/// or with `-2`, `-3` ... where that is there: no record is ever overwritten. For the supervisor.
/// @returns the file @throws OperationError if it cannot be written
std::filesystem::path write_black_box(const std::filesystem::path& folder,
                                      const std::string& daemon_name, TelemetryReader& telemetry);

}  // namespace haptic
