#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "host/bake/ranks.h"
#include "host/bake/recipe.h"
#include "host/bake/stage_cache.h"
#include "host/bake/stage_progress.h"

namespace haptic {

/// Result of a bake; the figures that `haptic bake` prints.
struct BakeSummary {
  std::filesystem::path model;
  std::uint64_t file_length = 0;  ///< bytes
  std::size_t surface_vertices = 0, surface_triangles = 0;
  std::size_t mesh_vertices = 0, mesh_elements = 0, fixed_vertices = 0;
  std::uint32_t dimension = 0;                         ///< r, 0 without [reduction]
  std::size_t condensed_dof = 0, condensed_modes = 0;  ///< 0 without [condensed]
  /// What single precision of the compliance costs (surface_compliance.h); 0 in double precision.
  double compliance_rounding = 0.0, contact_force_rounding = 0.0;
  std::size_t springs = 0;  ///< 0 without [cloth]
  std::size_t shell_points = 0, tree_nodes = 0;
  std::uint32_t field_resolution = 0;
  double mass = 0.0;  ///< kg
  /// Fraction of the surface on parts that the field does not contain (field_resolution.h), and the
  /// field's voxel [m].
  double unresolved_fraction = 0.0, voxel = 0.0;
};

struct BakeOptions {
  /// Folder that stores the results of stages (stage_cache.h); empty: none are stored.
  std::filesystem::path cache = {};
  /// Whether a folder of another recipe is refused.
  StageCache::Owner cache_owner = StageCache::Owner::kThisRecipe;
  const Ranks* ranks = nullptr;  ///< the processes that bake; nullptr: this process alone
};

/// The full precompute of a recipe, written atomically to `output` (docs/artifact.md): an old model
/// under that name stays until the new one is whole. With several ranks all call this with the same
/// arguments; rank 0 writes and gets the summary.
/// @throws InputError if recipe, mesh, output or cache are invalid; OperationError if a stage fails
BakeSummary bake(const Recipe& recipe, const std::filesystem::path& output, StageProgress& progress,
                 const BakeOptions& options = {});

}  // namespace haptic
