#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "host/artifact/hdf5_input.h"
#include "host/log/log_columns.h"

namespace haptic {

/// Opens a log for reading, also while it is written or after its writer was killed; of a black box
/// its log in memory (open_black_box).
/// @throws InputError if the file is neither HDF5 nor a black box, is damaged, or is cut off within
///         its first bytes
Hdf5Input open_log(const std::filesystem::path& path);

/// An element of the column, in the file and in memory.
Hdf5Handle element_type(const LogColumn& column);

/// Rows that every one of the columns has. @param by_reading  rows count only if their data can be
/// read: a file that was cut off has the extents of its data, but not all data
/// @throws InputError if one is missing
std::uint64_t common_rows(const Hdf5Input& log, std::span<const std::string> names,
                          bool by_reading);

/// @throws InputError unless all the columns have one number a row and as many rows as the first
void expect_equal_rows(const Hdf5Input& log, std::span<const std::string> names);

}  // namespace haptic
