#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace haptic {

/// 8-bit RGB image, rows from the top.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  ///< 3 * width * height
};

/// Writes a PNG under a temporary name in the same folder and renames it.
/// @throws OperationError if the file cannot be written
void write_png(const Image& image, const std::filesystem::path& path);

}  // namespace haptic
