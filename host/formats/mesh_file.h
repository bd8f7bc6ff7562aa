#pragma once

#include <filesystem>

#include "host/formats/polygon_soup.h"
#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// A surface as it was read.
struct SurfaceFile {
  TriangleMesh mesh;  ///< in the file's unit
  /// Difference of neighbouring values that the file can give at its largest coordinate.
  double last_digit = 0.0;
};

/// Reads a surface from OBJ, STL or PLY (by extension, any case), in double precision.
///
/// Vertices at exactly the same position are merged, so that the connectivity is correct for STL
/// and across texture seams; they are numbered in the order of first use by a triangle. Polygons
/// are cut into triangles; unused vertices are left out. The mesh is not cleaned or re-oriented:
/// see clean_mesh.
/// @throws InputError (file and place in it named) if the file is missing, unreadable, not of a
///         known format, invalid (polygon_soup.h), without triangles or without extent
SurfaceFile read_surface_file(const std::filesystem::path& path);

/// Its mesh alone.
TriangleMesh read_mesh(const std::filesystem::path& path);

/// Writes `mesh` as OBJ with 9 significant digits: to a temporary name in the same folder, synced,
/// then renamed, so that `path` is never an incomplete file.
/// @throws OperationError if the file cannot be written
void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh);

}  // namespace haptic
