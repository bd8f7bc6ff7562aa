#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "host/log/log_description.h"
#include "shared/ipc/telemetry_layout.h"
#include "shared/ipc/telemetry_sample.h"

namespace haptic {

/// Writes a log: one HDF5 file, a chunked, shuffled and deflated dataset a column, units and
/// descriptions as attributes (docs/lab-pc.md). The same samples give the same bytes.
/// Written under a temporary name; `finish` renames it, so a log under its final name is complete.
class LogWriter {
 public:
  /// @throws OperationError if the file cannot be created
  LogWriter(const std::filesystem::path& path, const LogDescription& description);
  /// Removes the temporary file unless finished.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// @param state  values of the blocks of rate kCycle of the description
  /// @throws OperationError if writing fails
  void append(const SampleRecord& sample, std::span<const double> state);
  /// Blocks of rate kDisplay: group /display.
  /// @param snapshot  as many values as the description's blocks have
  void append_display(const DisplaySnapshot& snapshot);
  /// Commands, faults and changes of scene: group /events, only in logs of a daemon.
  void append_event(const EventRecord& event);
  /// Samples the writer was told to have missed (a slow reader); attribute "lost_samples".
  void add_lost(std::uint64_t samples);
  std::uint64_t rows() const;
  void finish();

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace haptic
