#pragma once

#include <cstdint>
#include <vector>

#include "host/artifact/model_writer.h"
#include "host/bake/body_mesh.h"
#include "host/bake/recipe.h"
#include "host/bake/source_surface.h"
#include "host/bake/stages.h"
#include "host/condensation/condensed_embedding.h"
#include "host/condensation/surface_compliance.h"
#include "rt/dynamics/rayleigh_damping.h"

namespace haptic {

/// A linear body condensed to the nodes of its boundary elements.
struct CondensedBody {
  std::vector<std::uint32_t> nodes;  ///< c mesh vertices, ascending
  SurfaceModes modes;                ///< rows of the condensed degrees of freedom, 3c x k
  RayleighDamping damping;
  CondensedEmbedding embedding;  ///< of the surface's vertices
  SurfaceCompliance compliance;
};

/// Stages "condensation" (nodes, embedding and modes) and "compliance" of a recipe with
/// [condensed]; rank 0 works and gets the result. The compliance is not stored for a later bake:
/// its bytes would be a second copy in memory.
/// Source: Sedaghat 2011, sections 5.3 and 6.2.
/// @throws InputError naming recipe and key; OperationError if a solver fails
CondensedBody make_condensed_body(const Recipe& recipe, const BodyMesh& mesh,
                                  const StageResult<SourceSurface>& source, const Stages& stages);

/// Sections and attributes of /condensed.
void write_condensed_sections(ModelWriter& writer, const CondensedBody& body);

}  // namespace haptic
