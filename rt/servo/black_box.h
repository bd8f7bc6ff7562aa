#pragma once

#include <filesystem>
#include <string>

#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// Texts of the files that the daemon read, for its black boxes.
struct BlackBoxTexts {
  std::string scene;
  std::string manifest;  ///< of the device; empty for the scene's simulated device
};

/// Writes the last seconds of a daemon, what operators did, with which parameters, scene and device
/// and on which machine, to `<folder>/hapticd-<daemon_name>-<fault>-cycle<N>.box` with the newest
/// fault and its first cycle (shared/ipc/black_box_layout.h), as keep_black_box does. Allocates as
/// much as the file has bytes. For the supervisor's thread of fault records.
/// @returns the file @throws OperationError if it cannot be written
std::filesystem::path write_black_box(const std::filesystem::path& folder,
                                      const std::string& daemon_name, TelemetryReader& telemetry,
                                      const BlackBoxTexts& texts);

}  // namespace haptic
