#pragma once

#include <cstdint>
#include <vector>

#include "host/bake/solid_body.h"
#include "shared/artifact/model_file.h"

namespace haptic {

/// Render surface of a model for the vertex shader (GlReducedSurface): the data of p = X + U q and
/// n = normalise(N + DN q) for each display vertex. A surface vertex is one display vertex for each
/// of its rest normals, so that sharp edges stay sharp.
struct DisplayBasis {
  std::uint32_t dimension = 0;                ///< r, 0 for a rigid body
  std::vector<float> positions;               ///< k x 3, rest [m]
  std::vector<float> normals;                 ///< k x 3, rest, unit, outward
  std::vector<std::uint32_t> surface_vertex;  ///< k, vertex of /surface
  std::vector<float> displacement;            ///< k x 3 x r, rows of /surface/basis [kg^-1/2]
  std::vector<float> normal_correction;       ///< k x 3 x r, DN_j = F_j N [m^-1 kg^-1/2]
  std::vector<std::uint32_t> indices;         ///< 3 per triangle, display vertices

  std::size_t vertex_count() const { return positions.size() / 3; }
};

/// Whether the file has all data of a DisplayBasis: a surface and, for a deformable body, the
/// volume mesh and basis for its normals.
bool has_display_basis(const ModelFile& model);

/// The volume mesh of a file, ready to embed points.
/// @throws InputError if it has none, or hexahedra that are not the cubes of one grid
SolidBody solid_of_model(const ModelFile& model);

/// From /surface, /mesh and /reduced/basis of the file. F_j = dU_j/dX is the gradient of the mesh's
/// shape functions at the surface vertex, as for the points of a shell (host/sampling).
/// @throws InputError if a section is missing, or hexahedra are not the cubes of one grid
DisplayBasis make_display_basis(const ModelFile& model);

}  // namespace haptic
