#pragma once

#include <filesystem>

#include "host/export/export_table.h"

namespace haptic {

/// Writes a table as Apache Parquet: a required DOUBLE, INT64 or UTF8 column for each of the
/// table, one data page in each row group, encoding PLAIN, compressed by gzip. Metadata of the
/// file: "unit.NAME" and "meaning.NAME" of each column, "source", "scene", "rate_hz",
/// "lost_samples". Source: https://parquet.apache.org/docs/file-format/ and parquet.thrift,
/// version 2.9.
/// @throws OperationError if the file cannot be written
void write_parquet(const ExportTable& table, const std::filesystem::path& path);

}  // namespace haptic
