#pragma once

#include <filesystem>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Reads a surface from OBJ, STL or PLY (by extension, any case) through assimp.
///
/// Vertices at exactly the same position are merged, so that the connectivity is correct for STL
/// and across texture seams; they are numbered in the order of first use by a triangle. Polygons
/// are triangulated; points, lines and unused vertices are left out. Coordinates have single
/// precision (assimp's). The mesh is not cleaned or re-oriented: see clean_mesh.
/// @throws InputError (file named) if the file is missing, unreadable, not of a known format,
///         without triangles, has a vertex that is not finite (named by its index), a triangle
///         index out of range, or zero extent
TriangleMesh read_mesh(const std::filesystem::path& path);

/// Writes `mesh` as OBJ with 9 significant digits: to a temporary name in the same folder, synced,
/// then renamed, so that `path` is never an incomplete file.
/// @throws OperationError if the file cannot be written
void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh);

}  // namespace haptic
