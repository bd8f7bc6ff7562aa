#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// A closed chain of edges that have one triangle each.
struct SurfaceHole {
  std::vector<std::uint32_t> vertices;  ///< so that triangles in this order agree with the surface
  Vector3 centre = Vector3::Zero();     ///< of its box
  double size = 0.0;                    ///< longest side of its box
};

/// The holes of a consistently oriented surface, in the order of their first triangles. Edges that
/// lead to an edge of three or more triangles, or of two that disagree, belong to no hole.
std::vector<SurfaceHole> find_holes(const TriangleMesh& mesh);

/// Closes holes with triangles between their vertices (polygon_triangles.h), or, where one of their
/// sides would lie on an edge of the surface, with triangles about a new vertex in the middle.
void close_holes(TriangleMesh& mesh, std::span<const SurfaceHole> holes);

}  // namespace haptic
