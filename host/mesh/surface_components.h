#pragma once

#include <cstdint>
#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// A part of a surface whose triangles are connected through shared edges.
struct SurfaceComponent {
  std::vector<std::uint32_t> triangles;  ///< ascending
  /// Two triangles at every edge, consistently oriented, around a volume.
  bool closed = false;
  double area = 0.0;    ///< m^2
  double volume = 0.0;  ///< m^3, negative if it is inside out; meaningful if closed
  BoundingBox box;
};

/// In the order of their first triangles.
std::vector<SurfaceComponent> surface_components(const TriangleMesh& mesh);

/// Keeps the triangles of these components. @param kept one flag per component
void keep_components(TriangleMesh& mesh, const std::vector<SurfaceComponent>& components,
                     const std::vector<bool>& kept);

}  // namespace haptic
