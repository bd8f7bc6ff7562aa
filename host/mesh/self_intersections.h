#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Two triangles without a common vertex, of which an edge of one passes through the other.
struct CrossingTriangles {
  std::array<std::uint32_t, 2> triangles;  ///< ascending
  Vector3 place = Vector3::Zero();         ///< where an edge passes
};

/// All of them, in ascending order. Triangles that only touch, coplanar ones included, do not
/// cross. By pairs of overlapping boxes in a tree of them.
std::vector<CrossingTriangles> self_intersections(const TriangleMesh& mesh);

}  // namespace haptic
