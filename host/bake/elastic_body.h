#pragma once

#include <cstdint>
#include <vector>

#include "host/bake/body_mesh.h"
#include "host/bake/elastic_polynomials.h"
#include "host/bake/recipe.h"
#include "host/bake/source_surface.h"
#include "host/bake/stages.h"
#include "rt/dynamics/rayleigh_damping.h"

namespace haptic {

/// A reduced deformable, in the layout of the model file.
struct ElasticBody : BodyMesh {
  std::uint32_t dimension = 0;  ///< r
  std::vector<double> basis;    ///< 3n x r, row-major [kg^-1/2]
  StageDigest basis_digest;
  std::vector<double> eigenvalues;  ///< k [s^-2]
  BodyPolynomials polynomials;
  RayleighDamping damping;
  std::vector<float> surface_basis;  ///< 3v x r, row-major [kg^-1/2]
};

/// Stages "fem" to "embedding" of a recipe with [reduction]: mass and stiffness, linear modes,
/// modal derivatives, basis, quartic energy, embedding of the surface
/// (docs/methods/reduced-dynamics.md). All ranks work; the result is whole on rank 0.
/// @param recipe with the materials of its volume mesh in place (with_materials_of_file)
/// @throws InputError naming recipe and key; OperationError if a solver fails
ElasticBody make_elastic_body(const Recipe& recipe, const BodyMesh& mesh,
                              const StageResult<SourceSurface>& source, const Stages& stages);

}  // namespace haptic
