#pragma once

#include <vector>

#include "host/bake/recipe.h"
#include "host/mesh/triangle_mesh.h"
#include "rt/bodies/cloth_mesh.h"

namespace haptic {

/// The rest shape of a recipe with [cloth], in the model frame but for an origin in its centre (of
/// mass): a grid, or a mesh
/// file as it is. Nothing is repaired. Particles of an OBJ are numbered as its vertices, and its
/// quadrilaterals are kept; STL and PLY number them by first use and have none.
/// @throws InputError naming the mesh file: what read_mesh or check_cloth_mesh refuses, two
///         vertices at the same place, or more than kMaxClothParticles
ClothMesh load_cloth_mesh(const Recipe& recipe);

/// The triangles in the form that inspect_mesh takes.
TriangleMesh triangles_of(const ClothMesh& mesh);

/// A third of the area of its triangles, of each particle [m^2].
std::vector<double> particle_areas(const ClothMesh& mesh);

}  // namespace haptic
