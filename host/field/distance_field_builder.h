#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "host/field/surface_distance.h"

namespace haptic {

struct DistanceFieldSettings {
  std::uint32_t resolution = 128;  ///< N, voxels a side: a power of two, 16..512
  double expansion = 1.5;          ///< box edge over the longest side of the object, > 1
};

/// Sampled distances at the corners of N^3 voxels of a cube (Barbic 2007, Section 3.11).
struct DistanceGrid {
  std::uint32_t resolution = 0;      ///< N
  Vector3 origin = Vector3::Zero();  ///< lower corner [m]
  double spacing = 0.0;              ///< h [m]
  double boundary_min = 0.0;         ///< lower bound of the distance on the box surface [m], > 0
  std::vector<float> values;         ///< (N+1)^3 [m], index k*(N+1)^2 + j*(N+1) + i; < 0 inside

  std::size_t index(std::size_t i, std::size_t j, std::size_t k) const {
    const std::size_t n = resolution + 1;
    return (k * n + j) * n + i;
  }
  Vector3 corner(std::size_t i, std::size_t j, std::size_t k) const {
    return origin + spacing * Vector3(static_cast<double>(i), static_cast<double>(j),
                                      static_cast<double>(k));
  }
  /// Section /field/frame: x0, y0, z0, h, boundary_min.
  std::array<double, 5> frame() const {
    return {origin.x(), origin.y(), origin.z(), spacing, boundary_min};
  }
};

/// Fraction done, 0..1; called from any thread, one call at a time.
using FieldProgress = std::function<void(double)>;

/// The box of a field without its values: a cube centred on the object's bounding box, its edge
/// `expansion` times the longest side. @throws InputError if expansion is out of range
DistanceGrid distance_field_frame(const SurfaceDistance& surface, std::uint32_t resolution,
                                  double expansion);

/// Exact signed distance at every voxel corner, rounded to float; parallel, the same values
/// whatever the number of threads.
///
/// The box is a cube centred on the object's bounding box. `boundary_min` bounds the distance on
/// the whole box surface, not only at its corners (Barbic 2007, Eq 3.14): the box is convex, so it
/// is the margin of the bounding box.
/// @throws InputError if a setting is out of range; OperationError if neighbouring corners differ
/// by more than h: the surface intersects itself or is not closed
DistanceGrid build_distance_field(const SurfaceDistance& surface,
                                  const DistanceFieldSettings& settings,
                                  const FieldProgress& progress = {});

/// The same in two steps, for a field whose layers are computed by several processes: the values of
/// the layers [first, end) of constant z, (N+1)^2 each, in the order of DistanceGrid::values.
std::vector<float> distance_field_layers(const SurfaceDistance& surface,
                                         const DistanceFieldSettings& settings, std::size_t first,
                                         std::size_t end, const FieldProgress& progress = {});
/// @param values of all layers. @throws as build_distance_field
DistanceGrid checked_distance_field(const SurfaceDistance& surface,
                                    const DistanceFieldSettings& settings,
                                    std::vector<float> values);

/// Unsigned distance for the isosurface of open surfaces and soups: exact where it is below `band`;
/// elsewhere some value between `band` and the distance.
/// @param band [m], > 0
/// @throws InputError if a setting is out of range
DistanceGrid build_unsigned_band(const SurfaceDistance& surface,
                                 const DistanceFieldSettings& settings, double band);

/// Largest difference between neighbouring corners, in voxel edges; at most 1 for a distance field.
double largest_step(const DistanceGrid& grid);

}  // namespace haptic
