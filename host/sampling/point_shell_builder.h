#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/field/surface_distance.h"
#include "host/sampling/point_file.h"
#include "host/sampling/shell_levels.h"
#include "host/sampling/spacing.h"

namespace haptic {

/// Where the points of a shell come from (docs/methods/contact-and-coupling.md, "Point shells").
enum class ShellMethod : std::uint8_t {
  kFarthestPoint,  ///< random candidates, thinned to the farthest
  kRepulsion,      ///< multi-resolution particle repulsion
  kRandom,         ///< area-weighted random points
  kVertices,       ///< vertices of the surface
  kVoxels,         ///< centres of the voxels that the surface meets
  kDepth,          ///< where three bundles of rays meet the surface
  kFile            ///< read
};

/// Names of the methods in recipes; a recipe names a file instead of the last.
inline constexpr std::array<std::string_view, 7> kShellMethods = {
    "farthest-point", "repulsion", "random", "vertices", "voxels", "depth", "file"};
constexpr std::string_view name_of(ShellMethod method) {
  return kShellMethods[static_cast<std::size_t>(method)];
}
/// Whether the method itself decides how many points there are.
constexpr bool determines_point_count(ShellMethod method) {
  return method >= ShellMethod::kVertices;
}

struct PointShellSettings {
  std::uint32_t points = 20000;  ///< s, 1..4,000,000; 0: what the method or the levels give
  std::uint32_t levels = 0;      ///< l; 0: see shell_levels.h
  std::uint64_t seed = 1;        ///< of everything random
  std::uint32_t candidates_per_point = 10;  ///< kFarthestPoint: random samples per kept one, >= 2
  ShellMethod method = ShellMethod::kFarthestPoint;
  std::uint32_t first_level = 0;           ///< points of the first level; 0: from points and levels
  double spacing = 0.0;                    ///< kVoxels, kDepth: edge, distance of rays [m], > 0
  std::filesystem::path points_file = {};  ///< kFile
};

/// The surface for which a shell is made.
struct ShellSurface {
  const SurfaceDistance& surface;  ///< closed, outward (host/field/contact_surface.h)
  /// Of an offset surface, what it is offset from and by how much [m]; nullptr: not an offset one.
  const SurfaceDistance* source = nullptr;
  double offset = 0.0;
  Placement placement = {};  ///< of coordinates of the mesh's file in the model frame
};

/// Samples of a closed surface in level order, so that every leading level covers it; within a
/// level in the order of the tree (point_tree_builder.h).
struct SampledShell {
  std::vector<Vector3> points;   ///< s, model frame [m]; each coordinate is a float's value
  std::vector<Vector3> normals;  ///< s, INWARD; each coordinate is a float's value, unit to 1e-7
  std::vector<std::uint32_t> level_end;  ///< l: number of points of levels <= i; the last is s
  double area = 0.0;                     ///< of the surface [m^2]
  /// Of the points of levels <= i, for each level.
  std::vector<SpacingStatistics> spacing;
};

/// Callbacks for the fraction done, 0..1, and for notes.
struct ShellHooks {
  std::function<void(double)> progress;
  std::function<void(const std::string&)> note;
};

/// Points by the settings' method, in levels: particle repulsion gives levels itself, all other
/// methods are put in farthest-point order. Normals are the pseudonormals of the nearest feature of
/// the surface, turned inward (Barbic 2007, Section 3.8.1), unless a file gives them.
/// Deterministic: the same input gives the same bits, whatever the number of threads.
/// @throws InputError if a setting is out of range or more levels are asked than points allow
SampledShell build_point_shell(const ShellSurface& on, const PointShellSettings& settings,
                               const ShellHooks& hooks = {});
inline SampledShell build_point_shell(const SurfaceDistance& surface,
                                      const PointShellSettings& settings) {
  return build_point_shell(ShellSurface{surface}, settings);
}

}  // namespace haptic
