#pragma once

#include <filesystem>

#include "host/bake/solid_body.h"

namespace haptic {

/// A volume mesh by the ending of its name: Gmsh's .msh (tetrahedra), TetGen's .ele with the .node
/// beside it, VegaFEM's .veg (tetrahedra or cubes). Materials of a file are left alone: the recipe
/// has them.
/// @throws InputError naming the file and what does not hold
SolidBody read_volume_file(const std::filesystem::path& path);

}  // namespace haptic
