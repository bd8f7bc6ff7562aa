#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "host/log/log_description.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// Attributes of a log of this daemon.
LogDescription describe_daemon(const TelemetryReader& reader);

struct RecordSettings {
  std::optional<double> seconds;  ///< of daemon time; absent: until stopped
  bool from_oldest = false;       ///< begin with the oldest cycle in the ring
};

struct RecordOutcome {
  std::uint64_t rows = 0;
  std::uint64_t lost = 0;     ///< overwritten before they were read
  bool daemon_ended = false;  ///< before the time was over
  bool scene_ended = false;   ///< before the time was over: the daemon loaded another scene
};

/// Follows a daemon's ring into a log until the time is over, `stop` is set, or the daemon or its
/// scene ends: a log is of one scene.
/// @throws OperationError if there is no daemon or writing fails
RecordOutcome record_telemetry(const std::string& daemon_name, const std::filesystem::path& path,
                               const RecordSettings& settings, const std::atomic<bool>& stop);

}  // namespace haptic
