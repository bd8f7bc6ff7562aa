#pragma once

#include <optional>

#include "host/bake/recipe.h"
#include "host/bake/stage_progress.h"
#include "host/field/contact_surface.h"
#include "host/mesh/rigid_body.h"

namespace haptic {

/// The source mesh in the model frame.
struct SourceSurface {
  TriangleMesh mesh;  ///< cleaned, scaled, translated: the render surface [m]
  MeshReport report;
  std::uint64_t file_hash = 0;  ///< XXH3-64 of the mesh file
  RigidProperties rigid;        ///< exact for a closed surface, of the voxels otherwise
};

/// Stage "mesh": reads, cleans, scales to the recipe's length, moves to its origin, and integrates
/// the mass.
/// @throws InputError naming the mesh file
SourceSurface load_source(const Recipe& recipe, StageProgress& progress);

/// Voxel mesh of a surface by the recipe's [mesh].
VoxelMesh voxelize_source(const Recipe& recipe, const TriangleMesh& mesh);

}  // namespace haptic
