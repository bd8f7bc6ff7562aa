#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/artifact/hdf5_handle.h"
#include "host/log/log_description.h"
#include "shared/ipc/telemetry_layout.h"
#include "shared/ipc/telemetry_sample.h"

namespace haptic {

/// One row of a log.
struct LogSample {
  double time_s = 0.0;
  SampleRecord record{};
  std::vector<double> state;  ///< values of the blocks of rate kCycle (LogDescription::state)
};

/// Reads a log written by LogWriter or with the same layout. A log that is being written, or that
/// was cut off with its writer, is read up to the last cycle that every column has.
class LogReader {
 public:
  /// @throws InputError if the file is not a log, or lacks a column
  explicit LogReader(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const LogDescription& description() const { return description_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t lost_samples() const { return lost_; }
  /// Whether the log was finished; else it is being written, or its writer was killed, and it has
  /// the cycles up to there.
  bool is_complete() const { return is_complete_; }

  /// A column as doubles, row-major rows x width. @param name  e.g. "/samples/contact_force_N"
  /// @throws InputError if there is no such column
  std::vector<double> column(const std::string& name) const;
  std::size_t width(const std::string& name) const;
  /// Rows [first, first + count) of a column, row-major.
  /// @throws InputError if it has another width or fewer rows
  std::vector<double> rows_of(const std::string& name, std::size_t width, std::uint64_t first,
                              std::uint64_t count) const;
  /// The same, converted to the HDF5 memory type `type`, written to `target`, which has room for
  /// count x width elements.
  void read_rows(const std::string& name, std::size_t width, std::uint64_t first,
                 std::uint64_t count, hid_t type, void* target) const;
  /// All columns with a row a cycle.
  std::vector<std::string> cycle_columns() const;
  /// Whether the log has the column.
  bool has(const std::string& name) const;

  /// Text of the scene as the daemon read it; no value if the log does not have it.
  std::optional<std::string> scene_text() const;

  /// Commands, faults and changes of scene, in order; empty for an offline run and for logs of
  /// versions without them.
  /// @throws InputError if the log's own events are damaged
  std::vector<EventRecord> events() const;

  /// The last display snapshot that was complete in `cycle`, or the first one if there was none
  /// yet. @returns no value if the log has none
  std::optional<DisplaySnapshot> display(std::uint64_t cycle) const;

  /// Every column of one row. @throws InputError if `row` is out of range
  LogSample sample(std::uint64_t row) const;

 private:
  void leave_out_unwritten_rows();
  /// Row `row` of every block of `rate`.
  template <class T>
  void read_blocks_row(const std::string& folder, StateRate rate, std::uint64_t row,
                       std::span<T> values, hid_t type) const;

  /// Of the gaps that a log without "lost_samples" lists.
  std::uint64_t count_missing() const;

  std::filesystem::path path_;
  Hdf5Handle file_;
  LogDescription description_;
  std::uint64_t rows_ = 0;
  std::uint64_t lost_ = 0;
  bool is_complete_ = false;
};

}  // namespace haptic
