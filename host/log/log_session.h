#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "host/log/black_box.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// A parameter of `haptic set` when the recording began.
struct LogParameter {
  std::string name;
  double value = 0.0, minimum = 0.0, maximum = 0.0;
};

/// Under which conditions a daemon was recorded: group /session and what lies in it.
struct LogSession {
  std::string date;  ///< of the begin, ISO 8601 with the offset from UTC
  std::string host, kernel;
  std::string haptic_version, hapticd_version;
  std::string device;
  std::string daemon_date;  ///< of the daemon's start, as `date`
  /// Text of the scene as the daemon read it; empty if it is not known, because the daemon ended or
  /// changed the scene when the recording began.
  std::string scene_text;
  std::string manifest_text;         ///< of the device, likewise; empty if it has none
  std::vector<std::string> recipes;  ///< one a body; empty for shapes and changed model files
  std::vector<LogParameter> parameters;
};

/// What can be known now of the daemon, its machine, which is this one, and what it reads.
LogSession session_of(const TelemetryReader& reader);
/// The same of the daemon that wrote a black box; recipes are those of the models that are here.
LogSession session_of(const BlackBox& box);

/// Writes the groups /session and /parameters into an open log.
/// @throws OperationError if HDF5 fails
void write_session(hid_t file, const LogSession& session);

}  // namespace haptic
