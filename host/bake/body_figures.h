#pragma once

#include <optional>
#include <span>
#include <vector>

#include "host/artifact/model_writer.h"
#include "host/bake/body_mesh.h"
#include "host/bake/condensed_body.h"
#include "host/bake/elastic_body.h"
#include "host/mesh/wall_thickness.h"

namespace haptic {

/// Thin places of a closed surface [m].
struct SurfaceGaps {
  std::optional<ThinnestPlace> wall;  ///< of the body
  std::optional<ThinnestPlace> gap;   ///< between parts of its surface
};

template <class Archive>
void archive(Archive& a, SurfaceGaps& g) {
  a(g.wall, g.gap);
}

/// Stage "walls"; nothing of a surface that is not closed. All ranks get the result.
SurfaceGaps find_gaps(const StageResult<SourceSurface>& source, const Stages& stages);

/// Lines on what the mesh of a body leaves out of its surface, for the bake's warnings: walls of
/// fewer than two voxels or of tetrahedra that lock, gaps that voxels bridge, fixed spheres and
/// cylinders with a radius of fewer than two voxels, borders of materials inside voxels, a mass
/// that differs by more than 2 %.
std::vector<std::string> discretisation_warnings(const Recipe& recipe, const SurfaceGaps& gaps,
                                                 const SourceSurface& source,
                                                 const SolidBody& solid);

/// What a person may hold against the object: size, mass, frequencies and stiffness of a body that
/// deforms, beside those of its surface; attributes of /body (docs/artifact.md).
/// @param surface mass properties of what the surface encloses; absent where its density varies
void write_body_figures(ModelWriter& writer, const Recipe& recipe, const SourceSurface& source,
                        const BodyMesh& mesh, const ElasticBody* elastic,
                        const CondensedBody* condensed, const SurfaceGaps& gaps);

/// The largest compliance of a 3 x 3 diagonal block and its place.
struct SoftestPlace {
  double stiffness = 0.0;  ///< force over displacement in the softest direction [N/m]
  std::size_t point = 0;
};
/// Over the points of a reduced body under a static force, at rest.
/// @param basis 3 points x r, row-major; @param quadratic distinct entries of the reduced stiffness
SoftestPlace softest_place(std::span<const float> basis, std::span<const double> quadratic,
                           std::size_t r);

}  // namespace haptic
