#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/artifact/hdf5_input.h"
#include "host/log/log_session.h"
#include "shared/state/state_layout.h"

namespace haptic {

/// A body of a logged scene: the data needed to find its model and draw it.
struct LogBody {
  std::string name;
  std::string model_path;
  std::uint64_t model_hash = 0;
  std::uint32_t first_coordinate = 0;
  std::uint32_t coordinate_count = 0;
  bool held = false;
};

/// Description of a log; its attributes.
struct LogDescription {
  std::string source;  ///< "hapticd" or "simulate"
  std::string scene_path;
  double rate_hz = 1000.0;
  double length_scale = 1.0;  ///< simulated m per m of hand
  /// Rating of the device; absent in logs of earlier versions. A scene may limit its coupling to
  /// it.
  std::optional<double> device_stiffness_N_m{};
  std::vector<LogBody> bodies;
  StateLayout state;    ///< of the world: /state/* of every cycle, /display/* at display rate
  bool timing = false;  ///< has /timing/*
  std::optional<LogSession> session{};  ///< of a daemon
};

/// Writes the attributes and the groups /bodies, /blocks, /session and /parameters of a new log.
/// @throws OperationError if HDF5 fails
void write_description(hid_t file, const LogDescription& description);

/// Reads them again, without the session.
/// @throws InputError, naming the file, if anything is missing or damaged, or a number is
///         implausible; if the log lacks a group that logs of its source have (docs/logs.md)
LogDescription read_description(const Hdf5Input& log);

}  // namespace haptic
