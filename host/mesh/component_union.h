#pragma once

#include <cstddef>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Where a surface passes through itself.
struct SurfaceCrossings {
  std::size_t within = 0;           ///< pairs of triangles of one component
  std::size_t between = 0;          ///< pairs of triangles of two components
  Vector3 place = Vector3::Zero();  ///< of the first pair
};

SurfaceCrossings find_crossings(const TriangleMesh& mesh);

/// Surface of the union of closed components that cross each other, less their cavities, resolved
/// on a grid of this spacing: edges are cut off by about half of it.
/// @param mesh closed manifold, oriented (orient_components)
/// @throws OperationError if no closed surface is found
TriangleMesh united_components(const TriangleMesh& mesh, double spacing);

}  // namespace haptic
