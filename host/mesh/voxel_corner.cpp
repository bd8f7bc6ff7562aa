// Separate from the voxeliser, because an embedding needs it (haptic_embedding).
#include "host/mesh/voxel_mesh.h"

namespace haptic {

Vector3 VoxelMesh::lower_corner(std::uint32_t element) const {
  const auto at = cell_coordinates(cell_of_element[element]);
  return origin + edge * Vector3(at[0], at[1], at[2]);
}

}  // namespace haptic
