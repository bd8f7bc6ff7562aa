#pragma once

#include <cstddef>
#include <optional>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Where a wall is thinnest [unit of the mesh].
struct ThinnestPlace {
  double thickness = 0.0;
  Vector3 place = Vector3::Zero();  ///< on the surface
};

/// The thinnest place of a closed outward surface among samples: the shortest way inward along the
/// normal to a triangle that faces the opposite side within 41 degrees, so that the edge of a wedge
/// counts as no wall. @param samples on the surface, at least one on each triangle
/// @returns nothing if no way ends at such a triangle
std::optional<ThinnestPlace> thinnest_place(const TriangleMesh& mesh, std::size_t samples = 20'000);

}  // namespace haptic
