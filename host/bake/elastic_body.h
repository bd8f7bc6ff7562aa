#pragma once

#include <cstdint>
#include <vector>

#include "host/bake/recipe.h"
#include "host/bake/stage_progress.h"
#include "host/mesh/triangle_mesh.h"
#include "host/mesh/voxel_mesh.h"
#include "host/reduction/rayleigh_damping.h"
#include "host/reduction/reduced_polynomials.h"

namespace haptic {

/// A reduced deformable, in the layout of the model file.
struct ElasticBody {
  VoxelMesh voxels;
  std::vector<double> vertices;         ///< n x 3 [m]
  std::vector<std::uint32_t> elements;  ///< m x 8
  std::vector<std::uint32_t> fixed;     ///< ascending
  std::uint32_t dimension = 0;          ///< r
  std::vector<double> basis;            ///< 3n x r, row-major [kg^-1/2]
  std::vector<double> eigenvalues;      ///< k [s^-2]
  ReducedPolynomials polynomials;
  RayleighCoefficients damping;
  std::vector<float> surface_basis;  ///< 3v x r, row-major [kg^-1/2]
};

/// Stages "voxels" to "polynomials" of a recipe with [reduction]: voxel mesh, constraints, mass and
/// stiffness, linear modes, modal derivatives, mass-PCA basis, quartic energy, embedding of the
/// surface (spec reduced-dynamics 2.1-2.13).
/// @param surface in the model frame
/// @throws InputError naming recipe and key; OperationError if a solver fails
ElasticBody make_elastic_body(const Recipe& recipe, const TriangleMesh& surface,
                              StageProgress& progress);

}  // namespace haptic
