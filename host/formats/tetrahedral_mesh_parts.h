#pragma once

#include <filesystem>

#include "host/mesh/tetrahedral_mesh.h"

namespace haptic {

/// The readers behind read_tetrahedral_mesh, before orientation.
TetrahedralMesh read_gmsh(const std::filesystem::path& path);
TetrahedralMesh read_medit(const std::filesystem::path& path);
/// @param path of either file
TetrahedralMesh read_tetgen(const std::filesystem::path& path);

}  // namespace haptic
