#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shared/math/pose.h"

namespace haptic {

/// Farthest-point order (Barbic 2007, Section 3.9.1): the first is `seed`, each next one
/// is the candidate farthest from all before it, ties to the lowest index.
/// Exact, equal to the result of comparing all distances: a grid limits each update to the
/// candidates that can change, a heap of upper bounds finds the farthest. About O(m log m) for m
/// candidates.
/// @param count how many to order, <= candidates.size()
/// @returns `count` indices into `candidates`
std::vector<std::uint32_t> farthest_point_order(std::span<const Vector3> candidates,
                                                std::size_t count, std::uint32_t seed = 0);

}  // namespace haptic
