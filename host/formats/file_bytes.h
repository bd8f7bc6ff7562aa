#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

namespace haptic {

/// Largest file of a mesh that is read: 10^7 triangles as text.
inline constexpr std::uint64_t kMaxMeshBytes = std::uint64_t{1} << 30;

/// Content of a regular file of at most kMaxMeshBytes.
/// @param expected what the message says was expected if the file is missing, e.g. "a .cub file"
/// @throws InputError if it is missing, not a regular file, empty or unreadable
std::string read_file_bytes(const std::filesystem::path& path, std::string_view expected);

/// Value of type T at a byte offset, little-endian as on disk; the caller checked the size.
template <typename T>
T value_at(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Appends the bytes of a value, little-endian.
template <typename T>
void append_value(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace haptic
