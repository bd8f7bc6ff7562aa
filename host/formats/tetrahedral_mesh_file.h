#pragma once

#include <filesystem>

#include "host/mesh/tetrahedral_mesh.h"

namespace haptic {

/// Reads a volume mesh of linear tetrahedra by the file's extension:
/// - .msh: Gmsh 2.2 or 4.1, text or binary (little-endian). Regions are the physical groups of the
/// volumes (where an element
///   has none, its geometrical volume). Points, lines and faces are left out, and so are nodes
///   that no tetrahedron uses (left_out says so); the others keep the order of the file.
///   An element that is listed for several groups counts once, in the first of them.
/// - .mesh: MEDIT, text. Regions are the marks of the tetrahedra; unused vertices as above.
/// - .ele or .node: TetGen, both files in one folder, numbered from 0 or 1. Regions are the first
///   element attribute. All nodes are kept.
/// Tetrahedra with a negative volume are reoriented.
/// @throws InputError naming file and line if it is missing, of another version, has words
///         in place of numbers, other volume elements, or no tetrahedron; and as orient()
TetrahedralMesh read_tetrahedral_mesh(const std::filesystem::path& path);

}  // namespace haptic
