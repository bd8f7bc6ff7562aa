#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "host/artifact/hdf5_handle.h"
#include "host/log/log_columns.h"

namespace haptic {

struct OpenedLog {
  Hdf5Handle file;
  bool is_whole;  ///< closed by its writer, and not cut off since
};

/// Opens a log for reading, also while it is written or after its writer was killed; of a black box
/// its log in memory (open_black_box).
/// @throws InputError if the file does not exist, is neither HDF5 nor a black box, or is a damaged
///         black box; OperationError if HDF5 cannot open it, because it is cut off within its first
///         bytes
OpenedLog open_log(const std::filesystem::path& path);

bool has_column(hid_t file, const std::string& name);

/// An opened dataset and its extents.
struct LogDataset {
  /// @throws InputError if there is no such dataset or it is not one or two-dimensional
  LogDataset(const std::filesystem::path& path, hid_t file, const std::string& name);
  Hdf5Handle handle, space;
  int rank = 0;
  std::array<hsize_t, 2> extent = {0, 1};  ///< rows, numbers a row
};

hid_t memory_type(ColumnType type);

/// Rows `first` to first + count - 1, of `width` elements each.
/// @throws InputError if the dataset has fewer, or of another width; OperationError if their data
///         are damaged or missing
void read_rows(const std::filesystem::path& path, hid_t file, const std::string& name,
               std::uint64_t first, std::uint64_t count, std::size_t width, hid_t type,
               void* target);

/// Rows that every one of the columns has. @param by_reading  rows count only if their data can be
/// read: a file that was cut off has the extents of its data, but not all data
std::uint64_t common_rows(const std::filesystem::path& path, hid_t file,
                          std::span<const std::string> names, bool by_reading);

/// @throws InputError unless all the columns have as many rows as the first
void expect_equal_rows(const std::filesystem::path& path, hid_t file,
                       std::span<const std::string> names);

}  // namespace haptic
