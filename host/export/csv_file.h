#pragma once

#include <filesystem>

#include "host/export/export_table.h"

namespace haptic {

/// Writes a table as CSV (RFC 4180): a header "name [unit]" and a line for each row, ended by CRLF.
/// Reals have as many digits as it takes to read back the same double; others are "nan", "inf",
/// "-inf"; texts are as the log has them.
/// @throws OperationError if the file cannot be written
void write_csv(const ExportTable& table, const std::filesystem::path& path);

}  // namespace haptic
