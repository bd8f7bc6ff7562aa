#pragma once

#include <filesystem>
#include <string>

namespace haptic {

/// What must hold before assimp gets a mesh's bytes: it allocates what a header announces, and one
/// mesh for every group of an OBJ.
///
///   STL  has the size that its number of triangles takes, or is text with an end
///   PLY  the header has a sane length, and the file the bytes that the announced counts take
///   OBJ  is text; lines other than vertices and faces, which have no effect on a shape, are
///        blanked; no face has more corners than triangulation can handle
///
/// @param bytes     content of the file
/// @param extension ".obj", ".stl" or ".ply"
/// @throws InputError naming the file and what it announces
void demand_mesh_bounds(const std::filesystem::path& path, const std::string& extension,
                        std::string& bytes);

}  // namespace haptic
