#pragma once

#include <cstdint>
#include <vector>

#include "host/bake/elastic_polynomials.h"
#include "host/bake/recipe.h"
#include "host/bake/solid_body.h"
#include "host/bake/source_surface.h"
#include "host/bake/stages.h"
#include "host/fem/stvk_model.h"
#include "rt/dynamics/rayleigh_damping.h"

namespace haptic {

/// A reduced deformable, in the layout of the model file.
struct ElasticBody {
  SolidBody solid;
  StageDigest solid_digest;
  std::vector<std::uint32_t> fixed;   ///< ascending; empty for a free body
  std::vector<std::uint32_t> groups;  ///< material group of each element; empty: one group
  std::uint32_t dimension = 0;        ///< r
  std::vector<double> basis;          ///< 3n x r, row-major [kg^-1/2]
  StageDigest basis_digest;
  std::vector<double> eigenvalues;  ///< k [s^-2]
  BodyPolynomials polynomials;
  RayleighDamping damping;
  std::vector<float> surface_basis;  ///< 3v x r, row-major [kg^-1/2]
};

/// Refuses a body whose stiffness is singular: the constraints leave a rigid motion free, or a part
/// can move without strain.
/// @throws InputError naming the recipe, or the mesh file and an element of the part
void require_held(const Recipe& recipe, const StvkModel& model);

/// The unreduced body of a recipe with [reduction], before any basis: stage "voxels", constraints
/// and materials. Collective: every rank gets the result.
/// @throws InputError naming recipe and key
StvkModel make_unreduced_body(const Recipe& recipe, const StageResult<SourceSurface>& source,
                              const Stages& stages);

/// Stages "voxels" to "embedding" of a recipe with [reduction]: mesh, constraints, mass and
/// stiffness, linear modes, modal derivatives, basis, quartic energy, embedding of the surface
/// (docs/methods/reduced-dynamics.md). All ranks work; the result is whole on rank 0.
/// @param recipe with the materials of its volume mesh in place (with_materials_of_file)
/// @throws InputError naming recipe and key; OperationError if a solver fails
ElasticBody make_elastic_body(const Recipe& recipe, const StageResult<SourceSurface>& source,
                              const Stages& stages);

}  // namespace haptic
