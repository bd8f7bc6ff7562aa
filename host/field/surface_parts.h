#pragma once

#include <vector>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Pieces of a mesh that share no vertex, in the order of their first triangle.
std::vector<TriangleMesh> split_parts(const TriangleMesh& mesh);

}  // namespace haptic
