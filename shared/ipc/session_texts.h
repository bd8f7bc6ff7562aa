#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "shared/ipc/shared_memory.h"

namespace haptic {

/// The texts that a daemon has read and runs, which it hands to readers beside its telemetry
/// (NAME.texts in the run folder). Nobody else reads these files again: they may have changed
/// since, and a reader has other rights than the daemon.
struct SessionTexts {
  std::string scene;
  std::string manifest;  ///< of the device; empty if it has none
};

/// Puts the texts into a new segment. @param instance  of the telemetry that they belong to
/// @throws OperationError as SharedSegment::create
SharedSegment share_session_texts(const std::filesystem::path& path, std::uint64_t instance,
                                  const SessionTexts& texts);

/// Reads the texts that belong to a telemetry segment.
/// @returns none if the daemon has ended or runs another scene by now, or this user may not read
std::optional<SessionTexts> read_session_texts(const std::filesystem::path& telemetry,
                                               std::uint64_t instance);

}  // namespace haptic
