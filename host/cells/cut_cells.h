#pragma once

#include <vector>

#include "host/mesh/triangle_mesh.h"
#include "host/mesh/voxel_mesh.h"
#include "shared/artifact/cell_part.h"

namespace haptic {

/// Voxels with the material that each holds.
struct CutCells {
  VoxelMesh grid;               ///< elements that hold material, in one piece
  std::vector<CellPart> parts;  ///< of each element; kWholeCell where the surface leaves it whole
  std::size_t cut = 0;          ///< elements that the surface cuts
};

/// Cells with less material than this part of their volume are left out; points there follow the
/// nearest element.
inline constexpr double kMinPart = 1e-4;

/// The same grid with the part of each cell that lies inside the surface.
/// @param surface closed, outward
/// @throws InputError if no cell holds material
CutCells cut_cells(const TriangleMesh& surface, const VoxelMesh& grid);

}  // namespace haptic
