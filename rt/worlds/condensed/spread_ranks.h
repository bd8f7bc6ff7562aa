#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shared/math/pose.h"

namespace haptic::condensed {

/// Ranks, 0 first, of points on a surface, such that of the points of any patch those of lowest
/// rank lie evenly spread over it: the places in a Z-order curve, their bits reversed.
/// Equal points in another order have the same ranks but for ties.
std::vector<std::uint32_t> spread_ranks(std::span<const Vector3> points);

}  // namespace haptic::condensed
