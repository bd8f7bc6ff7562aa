#pragma once

#include <cstdint>
#include <span>

#include "rt/geometry/signed_field.h"

namespace haptic {

/// Fraction of a surface, by area, that bounds parts which the field does not resolve: the
/// interpolated field of a part thinner than a voxel is nowhere negative, so nothing can touch it.
/// Sampled below the centroids of at most kMostTriangles triangles, down to two voxels.
/// 0 for a surface without area. Source: docs/methods/contact-and-coupling.md, "Sampled field".
/// @param vertices   3 numbers each, material frame [m]
/// @param triangles  3 indices each, counterclockwise seen from outside
double unresolved_fraction(const SignedField& field, std::span<const double> vertices,
                           std::span<const std::uint32_t> triangles);

inline constexpr std::size_t kMostTriangles = 20'000;
/// A larger fraction is more than sharp edges cause.
inline constexpr double kLargestUnresolvedFraction = 0.05;

}  // namespace haptic
