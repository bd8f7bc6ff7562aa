#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/files/output_claim.h"
#include "host/log/log_description.h"
#include "host/log/lost_events.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// Attributes of a log of this daemon.
LogDescription describe_daemon(const TelemetryReader& reader);

/// What a recording does where its file exists already.
enum class ExistingLog : std::uint8_t {
  kRefused,
  kReplaced,  ///< unless it is being recorded
  kNumbered,  ///< takes the first free name of LOG.h5, LOG-2.h5, LOG-3.h5, ...
};

/// The name of a log that will be recorded. @throws as OutputClaim
OutputClaim claim_log(const std::filesystem::path& path, ExistingLog existing);

struct RecordSettings {
  std::optional<double> seconds;  ///< of daemon time; absent: until stopped
  ExistingLog existing = ExistingLog::kRefused;
  bool from_oldest = false;  ///< begin with the oldest cycle in the ring
  std::function<void(const struct RecordedFile&)> file_ended{};  ///< called with each; may be empty
  std::function<void()> stands_still{};  ///< called when a daemon that lives makes no cycle; may be
                                         ///< empty
};

/// One file of a recording: the cycles of one scene.
struct RecordedFile {
  std::filesystem::path path;
  std::uint64_t rows = 0;
  std::uint64_t lost = 0;  ///< overwritten before they were read
  LostEvents lost_events{};
  bool hand_is_still = false;      ///< a simulated hand that did not move in any of the cycles
  std::filesystem::path followed;  ///< by this file: the daemon loaded another scene; else empty
};

struct RecordOutcome {
  std::vector<RecordedFile> files;
  /// Of the daemon, where it ended before the time was over; else kAlive.
  DaemonLife life = DaemonLife::kAlive;
};

/// Follows a daemon's ring into a log until the time is over, `stop` is set, or the daemon ends. A
/// log is of one scene: when the daemon loads another one, the cycles go on in the next of
/// LOG.2.h5, LOG.3.h5, ... that does not exist. No cycle is missing between two files unless the
/// scene changes again before the recorder has opened the next telemetry; `lost` of the next file
/// counts the cycles of that scene. A recording that is stopped contains every cycle published
/// until then. The files are synced at the end only.
/// @throws InputError if the file exists and must not be replaced, or is being written by another
///         process; OperationError if there is no daemon or writing fails
RecordOutcome record_telemetry(const std::string& daemon_name, const std::filesystem::path& path,
                               const RecordSettings& settings, const std::atomic<bool>& stop);

}  // namespace haptic
