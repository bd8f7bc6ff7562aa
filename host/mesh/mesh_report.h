#pragma once

#include <cstddef>
#include <string>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// What was found in a surface, and what clean_mesh did to it.
struct MeshReport {
  std::size_t vertices = 0;            ///< after cleaning
  std::size_t triangles = 0;           ///< after cleaning
  std::size_t components = 0;          ///< connected through shared edges
  std::size_t boundary_edges = 0;      ///< edges of exactly one triangle
  std::size_t non_manifold_edges = 0;  ///< edges of three or more triangles
  std::size_t inconsistent_edges = 0;  ///< edges whose two triangles still disagree on the outside
  std::size_t degenerate_dropped = 0;  ///< triangles that named a vertex twice
  std::size_t duplicates_dropped = 0;  ///< triangles on the same three vertices as an earlier one
  std::size_t triangles_flipped = 0;   ///< turned round, to agree with neighbours or to be outward
  std::size_t zero_area = 0;           ///< slivers of zero area; kept, they close the surface
  bool inside_out = false;             ///< closed, and all of it was turned round
  double area = 0.0;                   ///< m^2
  double volume = 0.0;                 ///< signed volume [m^3]; meaningful if closed

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

/// Makes the surface fit for baking: drops triangles that name a vertex twice and repeated
/// triangles, drops unused vertices, turns triangles round so that neighbours agree (orientable
/// components only), and turns a closed surface outward.
///
/// A component whose triangles agreed already keeps its orientation, so a cavity stays a cavity;
/// the whole surface is turned only if it encloses negative volume.
MeshReport clean_mesh(TriangleMesh& mesh);

}  // namespace haptic
