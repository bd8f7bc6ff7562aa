#pragma once

#include <cstddef>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Joins vertices of open edges that lie within `tolerance` of each other along every axis: faces
/// that a CAD program wrote apart by their last digits. A vertex joins the nearest earlier one that
/// stays, unless they are farther apart than a quarter of the shortest edge at either; vertices
/// between closed edges stay as they are. Nothing is changed unless fewer edges are open
/// afterwards. Vertices may be unused afterwards.
/// @param tolerance more than 1e-15 of the longest side, or nothing is joined
/// @returns the number of vertices that were joined to others
std::size_t join_open_edges(TriangleMesh& mesh, double tolerance);

}  // namespace haptic
