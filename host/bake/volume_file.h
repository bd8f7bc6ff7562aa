#pragma once

#include <filesystem>
#include <vector>

#include "host/bake/solid_body.h"

namespace haptic {

/// A volume mesh by the ending of its name: Gmsh's .msh (tetrahedra), TetGen's .ele with the .node
/// beside it, VegaFEM's .veg (tetrahedra or cubes). Materials of a file are left alone: the recipe
/// has them.
/// @throws InputError naming the file and what does not hold
SolidBody read_volume_file(const std::filesystem::path& path);

/// The files that it reads: `path`, and what belongs to it.
std::vector<std::filesystem::path> volume_file_parts(const std::filesystem::path& path);

}  // namespace haptic
