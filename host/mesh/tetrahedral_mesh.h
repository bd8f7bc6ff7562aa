#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Vertices that no element uses and that the reader left out.
struct LeftOutVertices {
  std::size_t count = 0;
  std::int64_t first_tag = 0;  ///< number of the first in the file
  bool renumbers = false;      ///< a later vertex has another index than in the file
};

/// A part of a mesh that its file names, e.g. a physical group of Gmsh.
struct NamedGroup {
  std::string name;
  std::vector<std::uint32_t> vertices;    ///< ascending
  std::vector<std::uint32_t> tetrahedra;  ///< ascending; empty for points, lines and faces
};

/// Volume mesh of linear tetrahedra, as read from a file.
struct TetrahedralMesh {
  std::vector<Vector3> vertices;                         ///< n [m or file units]
  std::vector<std::array<std::uint32_t, 4>> tetrahedra;  ///< m, VTK order (positive volume)
  std::vector<std::int64_t> regions;  ///< m region ids of the file, or empty when it has none
  std::vector<NamedGroup> groups;     ///< in the order of the file
  std::size_t turned = 0;             ///< tetrahedra whose corners the reader reordered
  std::size_t repeated = 0;           ///< listed again, e.g. for a second group, and left out
  LeftOutVertices left_out;
};

/// Gives every tetrahedron a positive volume by exchanging its last two corners where needed.
/// @param source file or object, for the error
/// @throws InputError naming the tetrahedron (0-based, in file order) that has a vertex out of
///         range or twice, or is flat (6 V below 1e-10 of its longest edge cubed)
void orient(TetrahedralMesh& mesh, const std::string& source);

/// Drops vertices that no tetrahedron uses, into left_out; the others keep their order.
/// @param tags number of each vertex in its file
void leave_out_unused_vertices(TetrahedralMesh& mesh, std::span<const std::int64_t> tags);

/// Uniformly scaled about the origin. @param factor > 0
TetrahedralMesh scaled(TetrahedralMesh mesh, double factor);

/// Moved by `offset` [m].
TetrahedralMesh translated(TetrahedralMesh mesh, const Vector3& offset);

/// Surface of a volume mesh.
struct BoundarySurface {
  TriangleMesh mesh;                         ///< outward
  std::vector<std::uint32_t> volume_vertex;  ///< of every surface vertex, ascending
};

/// Faces that belong to one element only, in the order of the elements.
/// @param source file or object, for the error
/// @throws InputError if three elements share a face, or two lie on the same side of it
BoundarySurface boundary_surface(const TetrahedralMesh& mesh, const std::string& source);

}  // namespace haptic
