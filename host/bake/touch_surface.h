#pragma once

#include <optional>

#include "host/bake/deforming_field.h"
#include "host/bake/elastic_body.h"
#include "host/bake/recipe.h"
#include "host/bake/source_surface.h"
#include "host/field/contact_surface.h"
#include "host/field/distance_field_builder.h"
#include "host/field/sparse_field_builder.h"
#include "host/mesh/mesh_report.h"
#include "host/sampling/modal_blocks.h"
#include "host/sampling/point_shell_builder.h"
#include "host/sampling/point_tree_builder.h"

namespace haptic {

/// Contact geometry of a body: distance field, point shell and tree, each if the recipe has it.
struct TouchSurface {
  ContactSurface surface;
  std::optional<DistanceGrid> field;  ///< this or `sparse`
  std::optional<SparseGrid> sparse;
  std::optional<DeformingField> deforming;  ///< data by which `field` follows the body
  std::optional<SampledShell> shell;
  PointShellSettings sampling;  ///< how the shell was made
  std::vector<float> weights;   ///< one per point; empty unless the recipe requests them
  std::vector<float> areas;     ///< one per point [m^2]
  ModalBlocks blocks;           ///< empty for a rigid body
  BuiltTree tree;               ///< of the shell
};

/// Stages "contact" to "tree"; the complete result is on rank 0. A closed surface that intersects
/// itself takes the offset route, like an open one, and a note reports it.
/// @param elastic nullptr for a rigid body
std::optional<TouchSurface> make_touch_surface(const Recipe& recipe,
                                               const StageResult<SourceSurface>& source,
                                               const ElasticBody* elastic, const Stages& stages);

}  // namespace haptic
