#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/field/surface_distance.h"

namespace haptic {

/// Section /shell/weights (Barbic 2007, Section 3.5): the area of the part of the surface
/// that is nearest to each point, over the mean, so that an uneven shell gives the same force as an
/// even one.
///
/// Monte Carlo over stratified samples of the surface, each counted for the nearest point whose
/// normal faces the same side, so that the two sides of a thin part are distinguished. The standard
/// error of a weight is about 1/sqrt(samples_per_point). Deterministic; the mean is 1.
/// @param surface closed, outward; the points lie on it or near it
/// @param normals inward, one for each point
std::vector<float> area_weights(const SurfaceDistance& surface, std::span<const Vector3> points,
                                std::span<const Vector3> normals, std::uint64_t seed,
                                std::uint32_t samples_per_point = 64);

}  // namespace haptic
