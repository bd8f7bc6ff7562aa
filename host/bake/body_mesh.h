#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "host/bake/recipe.h"
#include "host/bake/solid_body.h"
#include "host/bake/source_surface.h"
#include "host/bake/stages.h"
#include "host/fem/stvk_model.h"

namespace haptic {

/// The volume mesh of a deformable body, in the layout of the model file.
struct BodyMesh {
  SolidBody solid;
  StageDigest solid_digest;
  std::vector<std::uint32_t> fixed;   ///< ascending; empty for a free body
  std::vector<std::uint32_t> groups;  ///< material group of each element; empty: one group
};

/// Stage "voxels", constraints and material groups. Collective: every rank gets the result.
/// @throws InputError naming recipe and key
BodyMesh make_body_mesh(const Recipe& recipe, const StageResult<SourceSurface>& source,
                        const Stages& stages);

/// Everything that a stage on the unreduced body at rest depends on.
StageKey rest_body_key(std::string_view stage, const Recipe& recipe, const BodyMesh& body,
                       MassKind mass);

/// Refuses a body whose stiffness is singular: the constraints leave a rigid motion free, or a part
/// can move without strain.
/// @throws InputError naming the recipe, or the mesh file and an element of the part
void require_held(const Recipe& recipe, const StvkModel& model);

/// The unreduced body of a recipe with [reduction], before any basis: stage "voxels", constraints
/// and materials. Collective: every rank gets the result.
/// @throws InputError naming recipe and key
StvkModel make_unreduced_body(const Recipe& recipe, const StageResult<SourceSurface>& source,
                              const Stages& stages);

}  // namespace haptic
