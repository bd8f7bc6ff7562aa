#pragma once

#include <cstddef>
#include <string>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Properties of a surface and the changes made by clean_mesh.
struct MeshReport {
  std::size_t vertices = 0;             ///< after cleaning
  std::size_t triangles = 0;            ///< after cleaning
  std::size_t components = 0;           ///< connected through shared edges
  std::size_t boundary_edges = 0;       ///< edges of exactly one triangle
  std::size_t non_manifold_edges = 0;   ///< edges of three or more triangles
  std::size_t inconsistent_edges = 0;   ///< edges whose two triangles still disagree on the outside
  std::size_t degenerate_dropped = 0;   ///< triangles that named a vertex twice
  std::size_t duplicates_dropped = 0;   ///< triangles on the same three vertices as another one
  std::size_t vertices_joined = 0;      ///< across gaps of open edges
  double joined_within = 0.0;           ///< tolerance of that [unit of the mesh before scaling]
  std::size_t components_turned = 0;    ///< closed components that were inside out
  std::size_t components_left_out = 0;  ///< closed components inside the material of another one
  std::size_t triangles_flipped =
      0;                      ///< orientation reversed, to agree with neighbours or to be outward
  std::size_t zero_area = 0;  ///< slivers of zero area; kept, they close the surface
  bool inside_out = false;    ///< closed, and the orientation of all triangles was reversed
  double area = 0.0;          ///< m^2
  double volume = 0.0;        ///< signed volume [m^3]; meaningful if closed

  /// No boundary: every edge has two triangles, or an even number where sheets touch.
  bool closed = false;
  /// Closed, two triangles at every edge, consistently oriented.
  bool closed_manifold() const {
    return closed && non_manifold_edges == 0 && inconsistent_edges == 0;
  }
  /// One line, e.g. "closed, 2930 vertices, 5856 triangles, 1 component".
  std::string summary() const;
};

/// Counts everything above without changing the mesh.
MeshReport inspect_mesh(const TriangleMesh& mesh);

/// Prepares the surface for baking: drops triangles that use a vertex twice, duplicate triangles
/// (of opposite ones both) and unused vertices, joins vertices of open edges within `joining`
/// (join_open_edges.h), orients triangles so that neighbours agree (orientable components only),
/// and closed components so that together they bound the union of what they enclose
/// (nested_components.h).
MeshReport clean_mesh(TriangleMesh& mesh, double joining = 0.0);

}  // namespace haptic
