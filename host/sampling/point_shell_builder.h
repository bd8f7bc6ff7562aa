#pragma once

#include <cstdint>
#include <vector>

#include "host/field/surface_distance.h"

namespace haptic {

struct PointShellSettings {
  std::uint32_t points = 20000;  ///< s, 1..4,000,000
  std::uint32_t levels = 0;      ///< l; 0: levels of 8, 64, 512, ... new points (C36, B = 8)
  std::uint64_t seed = 1;        ///< of the random candidates
  std::uint32_t candidates_per_point = 10;  ///< random surface samples per kept point, >= 2
};

/// Near-uniform samples of a closed surface, in farthest-point order, so that every leading part
/// of the list covers the whole surface evenly.
struct SampledShell {
  std::vector<Vector3> points;   ///< s, model frame [m]; each coordinate is a float's value
  std::vector<Vector3> normals;  ///< s, INWARD; each coordinate is a float's value, unit to 1e-7
  std::vector<std::uint32_t> level_end;  ///< l: number of points of levels <= i; the last is s
  double area = 0.0;                     ///< of the surface [m^2]
};

/// Area-weighted random candidates on the surface, thinned greedily by farthest points.
/// Normals are the pseudonormals of the feature a point lies on, turned inward (spec 2.9 step C).
/// Deterministic: the same input gives the same bits.
/// @param surface closed, outward (host/field/contact_surface.h)
/// @throws InputError if a setting is out of range or more levels are asked than points allow
SampledShell build_point_shell(const SurfaceDistance& surface, const PointShellSettings& settings);

/// Number of points of levels <= i, for each level. `levels` given: each cumulative size is a
/// quarter of the next, the last is `points`. `levels` 0: 8 points, then 64 more, then 512 more,
/// ... (C36); the last level is usually partial.
/// @throws InputError if a level would have no point of its own
std::vector<std::uint32_t> shell_level_ends(std::uint32_t points, std::uint32_t levels);

/// How even a sampling is: distances to the nearest other sample.
struct SpacingStatistics {
  double mean = 0.0;                      ///< [m]
  double minimum = 0.0;                   ///< [m]
  double coefficient_of_variation = 0.0;  ///< standard deviation / mean
};
SpacingStatistics nearest_spacing(const std::vector<Vector3>& points);

}  // namespace haptic
