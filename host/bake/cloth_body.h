#pragma once

#include <string>
#include <vector>

#include "host/artifact/model_writer.h"
#include "host/bake/recipe.h"
#include "host/bake/stages.h"
#include "rt/bodies/cloth_mesh.h"
#include "rt/bodies/cloth_springs.h"

namespace haptic {

/// A cloth as its model file holds it.
struct ClothBody {
  ClothMesh mesh;              ///< at rest, model frame
  std::vector<double> masses;  ///< of the particles [kg]
  Springs springs;
  double area = 0.0;   ///< of the triangles [m^2]
  std::string report;  ///< one line on the mesh, for the provenance
};

/// Masses of the particles, M in all: of a fabric in proportion to the cells, of other grids M / n,
/// of meshes in proportion to the areas.
/// @param areas  of the particles (particle_areas)
std::vector<double> particle_masses(const ClothMesh& mesh, SpringTopology topology, double total,
                                    const std::vector<double>& areas);

/// Stages "mesh" and "springs" of a recipe with [cloth]; rank 0 works and gets the result. They
/// take seconds, and are not stored for a later bake.
/// Source: docs/methods/cloth.md, "Topology".
/// @throws InputError naming the mesh file
ClothBody make_cloth_body(const Recipe& recipe, const Stages& stages);

/// Sections /surface and /cloth, and the attributes of the latter.
void write_cloth_sections(ModelWriter& writer, const ClothRecipe& recipe, const ClothBody& body);

}  // namespace haptic
