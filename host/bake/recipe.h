#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "host/fem/material.h"
#include "host/field/distance_field_builder.h"
#include "host/mesh/constraints.h"
#include "host/mesh/voxel_mesh.h"
#include "host/sampling/point_shell_builder.h"

namespace haptic {

/// Where the model frame has its origin, after scaling about the file's.
enum class SourceOrigin : std::uint8_t {
  kFile,    ///< the file's own origin
  kCentre,  ///< centre of the bounding box
  kMass     ///< centre of mass of the homogeneous body
};

/// [reduction]: how a deformable is reduced; absent for a rigid body.
struct ReductionRecipe {
  int linear_modes = 10;  ///< k
  int dimension = 20;     ///< r
};

/// A recipe file, checked: what `haptic bake` makes of a mesh (design section 7).
struct Recipe {
  std::filesystem::path file;
  std::string text;  ///< as read, for /provenance

  std::filesystem::path mesh;  ///< resolved against the recipe's folder
  double length = 0.0;         ///< longest side of the bounding box [m]
  SourceOrigin origin = SourceOrigin::kFile;

  VoxelSettings voxels;
  Material material;                                    ///< a rigid body needs the density only
  std::array<double, 2> damping_ratios = {0.02, 0.02};  ///< at the first and last linear mode
  Constraints constraints;
  std::optional<ReductionRecipe> reduction;
  std::optional<PointShellSettings> shell;
  std::optional<DistanceFieldSettings> field;
};

/// @throws InputError: file and line, key, what was found, what was expected
Recipe load_recipe(const std::filesystem::path& path);

}  // namespace haptic
