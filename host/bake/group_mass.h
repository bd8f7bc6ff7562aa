#pragma once

#include "host/bake/recipe.h"
#include "host/bake/solid_body.h"
#include "host/fem/solid_mesh.h"
#include "host/fem/stvk_model.h"
#include "host/mesh/rigid_body.h"

namespace haptic {

/// The FEM's mesh of a body with the recipe's materials.
SolidMesh solid_mesh_of(const Recipe& recipe, const SolidBody& solid,
                        const std::vector<std::uint32_t>& groups);

/// Mass, centre and inertia of a body without fixed vertices, by the mass matrix of its elements:
/// exact with the consistent one, since positions are among the shapes. A lumped one has the same
/// mass and centre and the larger inertia of its vertices, as the body's motion has.
RigidProperties rigid_properties_of(const StvkModel& model);
/// The same of a body of a recipe, with the densities of its groups.
RigidProperties rigid_properties_of_groups(const Recipe& recipe, const SolidBody& solid,
                                           const std::vector<std::uint32_t>& groups);

}  // namespace haptic
