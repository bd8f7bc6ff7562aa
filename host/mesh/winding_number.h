#pragma once

#include <cstdint>
#include <span>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Winding number of a surface about a point, over all triangles: 1 inside and 0 outside a closed
/// outward surface, generally a sum of solid angles (van Oosterom & Strackee 1983).
double winding_number(const TriangleMesh& mesh, const Vector3& p);

/// The same of some of its triangles.
double winding_number(const TriangleMesh& mesh, std::span<const std::uint32_t> triangles,
                      const Vector3& p);

}  // namespace haptic
