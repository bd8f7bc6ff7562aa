#pragma once

#include <cstddef>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

struct NestedComponents {
  std::size_t turned = 0;    ///< components whose orientation was reversed
  std::size_t left_out = 0;  ///< components inside the material of another
  std::size_t triangles_turned = 0;
};

/// Orients the closed components of a surface so that it bounds the union of what they enclose.
///
/// A component in empty space is oriented outward, whatever the file says. Inside the material of
/// another one, its orientation relative to that one counts: the opposite one bounds a cavity; the
/// same one encloses material that is there already, and the component is dropped. Components with
/// an open, non-manifold or inconsistent edge, and intersections between components, are not
/// looked at. Cost: triangles of a component by components in its bounding box.
NestedComponents orient_components(TriangleMesh& mesh);

}  // namespace haptic
