#pragma once

#include "host/fem/solid_mesh.h"
#include "host/mesh/voxel_mesh.h"

namespace haptic {

/// The FEM's mesh of a voxel mesh: same vertices, same elements.
/// @throws InputError if the voxel mesh is empty or the material is out of range
inline SolidMesh make_solid_mesh(const VoxelMesh& voxels, const SolidMaterial& material) {
  if (voxels.vertices.empty() || voxels.elements.empty()) return {{}, {}, material};
  return {{voxels.vertices.front().data(), 3 * voxels.vertices.size()},
          {voxels.elements.front().data(), 8 * voxels.elements.size()},
          material};
}

}  // namespace haptic
