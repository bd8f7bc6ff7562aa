#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace haptic {

enum class PlyEncoding { kText, kLittleEndian, kBigEndian };

/// A number in a PLY file.
struct PlyType {
  std::size_t size = 0;  ///< bytes; 0 for no type
  bool is_real = false;
  bool is_signed = false;
};

struct PlyProperty {
  std::string_view name;
  PlyType type;   ///< of the value, or of a list's entries
  PlyType count;  ///< of a list's length; no type if the property is a single value
  bool is_list() const { return count.size > 0; }
};

struct PlyElement {
  std::string_view name;
  std::uint64_t count = 0;  ///< rows
  std::vector<PlyProperty> properties;
  /// Fewest bytes of a row: that of empty lists. As text, a value has a digit and a blank.
  std::size_t least_row(PlyEncoding encoding) const;
};

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::kText;
  std::vector<PlyElement> elements;
  std::size_t size = 0;   ///< bytes before the first row
  std::size_t lines = 0;  ///< that these are
};

/// The header of a PLY file; names in it are views of `bytes`.
/// @param file what messages name
/// @throws InputError with the line that is invalid, or if it does not end within 256 KiB, or has
///         more than 100 elements or 1000 properties
PlyHeader read_ply_header(std::string_view bytes, const std::string& file);

}  // namespace haptic
