#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "host/artifact/hdf5_handle.h"
#include "host/files/output_claim.h"
#include "host/log/log_description.h"
#include "shared/ipc/telemetry_layout.h"
#include "shared/ipc/telemetry_sample.h"

namespace haptic {

/// Writes a log: one HDF5 file, a chunked, shuffled and deflated dataset a column, units and
/// descriptions as attributes (docs/lab-pc.md). The same samples give the same bytes.
class LogWriter {
 public:
  enum class Readable : std::uint8_t {
    kWhenFinished,  ///< under a temporary name until `finish` renames it
    kWhileWritten,  ///< at once, by HDF5's single writer, multiple readers; also after SIGKILL
    kInMemory,      ///< from the handle of `finish_in_memory`; `path` is for messages only
  };
  /// Longest time of cycles in a kWhileWritten log that is lost with the process [s].
  static constexpr double kFlush_s = 0.25;

  /// @throws OperationError if the file cannot be created
  LogWriter(const std::filesystem::path& path, const LogDescription& description,
            Readable readable = Readable::kWhenFinished);
  /// The same for a name that was claimed, whatever file has it.
  LogWriter(const OutputClaim& claim, const LogDescription& description, Readable readable);
  /// Without finish(): removes a temporary file, or leaves what was flushed.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  /// States that the recording continues another file, whose last cycle is `last_cycle`: cycles
  /// missing between the two files become a gap of this one. Call it before the first append().
  void follow(std::uint64_t last_cycle);
  /// @param state  values of the blocks of rate kCycle of the description
  /// @throws OperationError if writing fails
  void append(const SampleRecord& sample, std::span<const double> state);
  /// Blocks of rate kDisplay: group /display.
  /// @param snapshot  as many values as the description's blocks have
  void append_display(const DisplaySnapshot& snapshot);
  /// Commands, faults and changes of scene: group /events, only in logs of a daemon.
  void append_event(const EventRecord& event);
  /// Writes everything so far to the file. Called by append every kFlush_s of cycles if
  /// kWhileWritten; call it where cycles or events come more slowly.
  /// @throws OperationError if writing fails
  void flush();
  /// Samples the writer was told to have missed (a slow reader); attribute "lost_samples".
  void add_lost(std::uint64_t samples);
  std::uint64_t rows() const;
  /// Whether flush() has something to write.
  bool has_pending() const;
  void finish();
  /// Ends a kInMemory log; replaces finish().
  Hdf5Handle finish_in_memory();

 private:
  struct File;
  LogWriter(std::unique_ptr<File> file, const LogDescription& description);
  std::unique_ptr<File> file_;
};

}  // namespace haptic
