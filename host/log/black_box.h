#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "shared/ipc/black_box_layout.h"
#include "shared/ipc/telemetry_reader.h"

namespace haptic {

/// A black box that a daemon wrote at a fault: its telemetry and the files it had read.
struct BlackBox {
  BlackBoxHeader header;
  TelemetryReader telemetry;  ///< oldest sample first
  std::string scene, manifest;
};

/// Whether a regular file begins as a black box.
bool is_black_box(const std::filesystem::path& path);

/// Reads a black box. Every size and checksum is checked before it is used.
/// @throws InputError naming file, section, what was found and expected, if it is cut off, damaged
///         or written by another version; OperationError if it cannot be read
BlackBox read_black_box(const std::filesystem::path& path);

/// Reads a black box from memory. @param bytes  content of the file @param path  for messages
BlackBox parse_black_box(std::span<const std::byte> bytes, const std::filesystem::path& path);

}  // namespace haptic
