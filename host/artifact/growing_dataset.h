#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "host/artifact/hdf5_handle.h"

namespace haptic {

/// A dataset to which rows are appended: rows x width (one-dimensional for width 1), chunked,
/// shuffled and deflated, without time stamps, so that the same rows give the same bytes.
class GrowingDataset {
 public:
  /// @param unit, meaning  attributes "unit" and "description"
  /// @param rows_per_chunk  rows kept in memory between writes, >= 1
  /// @param type  of an element, in the file and in memory (little-endian)
  /// @throws OperationError if HDF5 fails
  GrowingDataset(hid_t file, const std::string& name, std::string_view unit,
                 std::string_view meaning, std::size_t width, std::size_t rows_per_chunk = 1024,
                 hid_t type = H5T_IEEE_F64LE);

  /// @param row `width` elements @throws OperationError if writing fails
  void append(const void* row);
  void flush();

 private:
  std::string name_;
  std::size_t width_, chunk_rows_;
  hid_t type_;
  std::size_t row_bytes_;
  Hdf5Handle dataset_;
  std::vector<std::byte> pending_;
  hsize_t written_ = 0;
};

/// Creation properties of a dataset without time stamps. @throws OperationError if HDF5 fails
Hdf5Handle hdf5_dataset_settings(std::string_view what);

/// Makes a group without time stamps. @throws OperationError if HDF5 fails
Hdf5Handle make_hdf5_group(hid_t file, const std::string& name);

}  // namespace haptic
