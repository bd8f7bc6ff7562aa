#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/artifact/hdf5_input.h"
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
  /// @throws InputError if the file is not a log, or lacks a column or a group
  explicit LogReader(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const LogDescription& description() const { return description_; }
  std::uint64_t rows() const { return rows_; }
  /// Cycles that were overwritten before they were recorded; no value if the log was not finished:
  /// what its writer lost at the end is not known.
  std::optional<std::uint64_t> lost_samples() const { return lost_; }
  /// Whether the log was finished and nothing of it is missing since; else it is being written, or
  /// its writer was killed, or it was cut off, and it has the cycles up to there.
  bool is_complete() const { return is_complete_; }
  /// Rows that the longest column states; more than rows() if data are missing.
  std::uint64_t stated_rows() const { return stated_rows_; }
  const Hdf5Input& file() const { return file_; }

  /// Times of the rows [s]. @throws InputError unless they ascend from 0 s or later and are below
  /// 1e9 s
  std::vector<double> times() const;
  /// Cycle numbers of the rows. @throws InputError unless they ascend and are below 2^53
  std::vector<double> cycles() const;
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

  /// Commands, faults and changes of scene, in order; empty for an offline run.
  /// @throws InputError if the log's own events are damaged
  std::vector<EventRecord> events() const;
  /// Events that the longest of their columns states; more than events() has if data are missing.
  std::uint64_t stated_events() const;

  /// The last display snapshot that was complete in `cycle`, or the first one if there was none
  /// yet. @returns no value if the log has none
  std::optional<DisplaySnapshot> display(std::uint64_t cycle) const;

  /// Every column of one row. @throws InputError if `row` is out of range
  LogSample sample(std::uint64_t row) const;

 private:
  /// Columns of the events that the log has.
  std::vector<std::string> event_names() const;
  /// Columns of the state: `rate`'s, with the numbers of a row.
  std::vector<std::pair<std::string, std::uint64_t>> block_columns(StateRate rate) const;
  /// Row `row` of every block of `rate`.
  template <class T>
  void read_blocks_row(const std::string& folder, StateRate rate, std::uint64_t row,
                       std::span<T> values, hid_t type) const;

  std::filesystem::path path_;
  Hdf5Input file_;
  LogDescription description_;
  std::uint64_t rows_ = 0, stated_rows_ = 0;
  std::optional<std::uint64_t> lost_{};
  bool is_complete_ = false;
};

}  // namespace haptic
