#pragma once

#include <filesystem>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// An OBJ surface with its vertices in the order of the file, as .interp weights count them;
/// polygons are cut into fans. The general reader (host/formats/mesh_file.h) joins equal vertices.
/// @throws InputError with the line that is invalid
TriangleMesh read_obj_in_order(const std::filesystem::path& path);

}  // namespace haptic
