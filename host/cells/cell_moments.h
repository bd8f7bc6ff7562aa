#pragma once

#include <vector>

#include "host/mesh/triangle_mesh.h"
#include "host/mesh/voxel_mesh.h"
#include "shared/artifact/cell_part.h"

namespace haptic {

/// The part of each element's cell that lies inside a closed, outward surface, to rounding: by the
/// divergence theorem in each row of cells along x the integral over the part is one over the
/// triangles in the cell and those beyond it. Space that the surface encloses n times counts n
/// times. Parallel over rows; the result does not depend on the number of threads.
/// Source: docs/methods/reduced-dynamics.md, "Cells cut by the surface".
/// @param grid contains the surface but for rounding
/// @returns one entry per element, in their order
std::vector<CellPart> cell_moments(const TriangleMesh& surface, const VoxelMesh& grid);

}  // namespace haptic
