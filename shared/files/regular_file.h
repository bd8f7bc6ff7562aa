#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "shared/memory/file_descriptor.h"

namespace haptic {

/// How a file that somebody else may have made is opened and read: only a regular file, never a
/// FIFO, device, socket or folder, and only up to a size. An opener never waits for a writer, a
/// reader never takes more memory than the caller allows, and a file that grows while it is read
/// or changes its kind between a check and the opening changes nothing of this.
struct RegularFile {
  FileDescriptor descriptor;
  std::uint64_t size = 0;  ///< bytes, when it was opened
};

/// Opens a file for reading. Links are followed.
/// @param expected  what the caller reads, e.g. "a TOML file": for the message
/// @param max_bytes size of the largest file that is accepted
/// @throws InputError that names the cause: no such file, permission, kind or size
RegularFile open_regular_file(const std::filesystem::path& path, std::string_view expected,
                              std::uint64_t max_bytes);

/// Whole content of a file. @throws InputError as open_regular_file, or if it cannot be read or
///                                  grows beyond `max_bytes` meanwhile
std::string read_regular_file(const std::filesystem::path& path, std::string_view expected,
                              std::uint64_t max_bytes);

/// The first `count` bytes of a file of any size, fewer if it is shorter; empty if it cannot be
/// opened or read. For telling one format from another.
std::string first_bytes(const std::filesystem::path& path, std::size_t count);

/// The last `count` bytes, likewise.
std::string last_bytes(const std::filesystem::path& path, std::size_t count);

/// "16 MiB", "40 GiB", "12 bytes": for messages.
std::string size_text(std::uint64_t bytes);

}  // namespace haptic
