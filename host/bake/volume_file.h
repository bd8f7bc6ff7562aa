#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "host/bake/file_materials.h"
#include "host/bake/solid_body.h"

namespace haptic {

/// Content of a volume mesh file.
struct VolumeFile {
  SolidBody body;
  std::optional<FileMaterials> materials;  ///< of a .veg
};

/// Reads a volume mesh by its file extension: Gmsh's .msh (tetrahedra), TetGen's .ele with the
/// .node file in the same folder, VegaFEM's .veg (tetrahedra or cubes, with materials).
/// @throws InputError naming the file and what is invalid
VolumeFile read_volume_file(const std::filesystem::path& path);

/// The files that it reads: `path` and the files that belong to it.
/// @throws InputError if a .veg, or a file that it includes, cannot be read
std::vector<std::filesystem::path> volume_file_parts(const std::filesystem::path& path);

}  // namespace haptic
