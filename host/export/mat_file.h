#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/export/event_table.h"
#include "host/export/log_table.h"

namespace haptic {

/// Writes a table as a MATLAB file of version 7.3, which is HDF5 with a user block of 512 bytes:
/// the struct `log` has an N x k array (double, or int64) for each quantity, the struct `units` a
/// text for each, the struct `info` source, scene, rate_hz and lost_samples. The struct `events`,
/// if there are any, has an N x 1 array for each column of numbers and an N x k array of char for
/// each column of texts, filled up with spaces. Source: MathWorks, "MAT-File Versions", and the
/// attributes of files that MATLAB writes.
/// @throws OperationError if the file cannot be written
void write_mat(const LogTable& table, const EventTable& events, const std::filesystem::path& path);

/// Names of the struct's fields: letters, digits and '_', at most 63, each once.
std::vector<std::string> matlab_names(const std::vector<LogQuantity>& quantities);

}  // namespace haptic
