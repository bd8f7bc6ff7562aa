#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

/// Points and triangles with values, for VTK's file format .vtp.
struct VtkSurface {
  /// Values of each point or each cell.
  struct Array {
    std::string name;
    std::size_t components;
    std::vector<float> values;
  };
  std::vector<float> points{};            ///< n x 3 [m]
  std::vector<std::int64_t> triangles{};  ///< 3 indices each; without any, each point is a cell
  std::vector<Array> point_arrays{};
  std::vector<Array> cell_arrays{};

  std::size_t cells() const { return triangles.empty() ? points.size() / 3 : triangles.size() / 3; }
};

/// Writes VTK XML PolyData, version 1.0, little-endian, raw appended data with 64-bit sizes.
/// Source: VTK File Formats, "XML File Formats" (The VTK User's Guide, 11th edition).
/// @throws OperationError if the file cannot be written
void write_vtp(const VtkSurface& surface, const std::filesystem::path& path);

/// Text for an attribute of XML in double quotes.
std::string xml_text(std::string_view text);

}  // namespace haptic
