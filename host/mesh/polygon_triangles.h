#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/math/pose.h"

namespace haptic {

/// Cuts a polygon into triangles, appended to `triangles`: n - 2 of n >= 3 corners, numbered by
/// position. A convex polygon becomes a fan about its first corner; ears are cut off any other
/// simple polygon, seen along its normal (Newell's). What is left of a polygon that intersects
/// itself becomes a fan. At worst of order n^2.
void triangulate_polygon(std::span<const Vector3> corners,
                         std::vector<std::array<std::uint32_t, 3>>& triangles);

}  // namespace haptic
