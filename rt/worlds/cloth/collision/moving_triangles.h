#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shared/realtime.h"

namespace haptic::cloth {

/// Corners of a triangle: numbers of particles.
using TriangleCorners = std::array<std::uint32_t, 3>;

inline constexpr std::size_t kMaxTriangles = std::size_t{1} << 30;

/// Of bringing a structure up to date with positions.
enum class UpdateResult : std::uint8_t {
  kDone,
  kNotFinite,  ///< a position is not finite or too far away; the structure is as before
};

/// @param x  positions [m], 3 values a particle
/// @throws InputError if there is no triangle or more than 2^30, a corner is out of range, or a
///         corner's position is not finite (or beyond 1e100 m)
void check_triangles(std::span<const TriangleCorners> triangles, std::span<const double> x);

}  // namespace haptic::cloth
