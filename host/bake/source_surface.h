#pragma once

#include <optional>

#include "host/bake/file_materials.h"
#include "host/bake/recipe.h"
#include "host/bake/solid_body.h"
#include "host/bake/stages.h"
#include "host/mesh/placement.h"
#include "host/mesh/rigid_body.h"

namespace haptic {

/// The source geometry of the recipe, in the model frame.
struct SourceSurface {
  TriangleMesh mesh;  ///< cleaned, scaled, translated: the render surface [m]
  MeshReport report;
  /// At density 1 kg/m^3: of the surface if it is closed, else of the volume mesh that it bounds,
  /// or of voxels.
  RigidProperties unit_rigid;
  Placement placement;  ///< of coordinates of the mesh's file in the model frame
  /// The volume mesh that the recipe names.
  std::optional<SolidBody> volume;
  std::optional<FileMaterials> materials;  ///< of the volume mesh
};

template <class Archive>
void archive(Archive& a, SourceSurface& s) {
  a(s.mesh, s.report, s.unit_rigid, s.placement.scale, s.placement.rotation, s.placement.shift,
    s.volume, s.materials);
}

/// Stage "mesh", for all ranks: reads, cleans, scales to the recipe's length, moves to its origin,
/// and integrates the mass. The surface is the source mesh, or the boundary of a volume mesh.
/// @throws InputError naming the mesh file
StageResult<SourceSurface> load_source(const Recipe& recipe, const Stages& stages);

}  // namespace haptic
