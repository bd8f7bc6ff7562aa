#pragma once

#include <filesystem>

#include "host/formats/parse_surface.h"

namespace haptic {

/// Reads a surface from OBJ, STL or PLY (by extension, any case); see parse_surface.
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
