#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// A surface as its file gives it: no vertex is merged, no face is cut or dropped.
struct PolygonSoup {
  std::vector<Vector3> vertices;         ///< in the order of the file and its unit; finite
  std::vector<std::uint32_t> corners;    ///< vertices of all faces, one face after the other
  std::vector<std::uint32_t> face_ends;  ///< corners of face f end there; three or more
  /// Difference of neighbouring values that the file can give at its largest coordinate.
  double last_digit = 0.0;

  std::size_t face_count() const { return face_ends.size(); }
  std::uint32_t face_begin(std::size_t f) const { return f == 0 ? 0 : face_ends[f - 1]; }
};

/// Cutting a face into triangles takes the square of its corners at worst.
inline constexpr std::size_t kMaxFaceCorners = 10'000;
/// Largest coordinate: its third power is a number still.
inline constexpr double kMaxCoordinate = 1e30;

/// Wavefront OBJ: its vertices ("v") and faces ("f"); faces may refer to vertices that follow, and
/// to texture coordinates or normals that the file lacks. Comments may end lines; a backslash
/// continues the line of a vertex or face, and no other. Other statements are left out.
/// @param file what messages name
/// @throws InputError with the line if a vertex is not three finite numbers, or a face not three or
///         more vertices of the file
PolygonSoup read_obj(std::string_view bytes, const std::string& file);

/// STL, text (any case, several solids) or binary; which of them, the bytes decide, not the title.
/// Fewer than 50 bytes may follow the last triangle of a binary file.
/// @throws InputError with the line (triangle) that is invalid, or if the file is shorter or longer
///         than its number of triangles announces
PolygonSoup read_stl(std::string_view bytes, const std::string& file);

/// PLY 1.0, ASCII or binary of either byte order: elements "vertex" (x, y, z), and "face" or
/// "tristrips" (vertex_indices or vertex_index) of any types; other elements and properties are
/// skipped. Counts are checked against the bytes before memory is taken for them.
/// @throws InputError with the element, row or line that is invalid
PolygonSoup read_ply(std::string_view bytes, const std::string& file);

}  // namespace haptic
