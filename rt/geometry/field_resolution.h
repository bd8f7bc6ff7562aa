#pragma once

#include <cstdint>
#include <span>

#include "rt/geometry/signed_field.h"

namespace haptic {

/// Fraction of a surface, by area, behind which a field has no inside: no point is in contact
/// there, however far it goes in. The interpolated field of a part thinner than a voxel is nowhere
/// negative. Measured below the middles of at most kMostTriangles triangles, down to two voxels.
/// 0 for a surface without area. Source: docs/methods/contact-and-coupling.md, "Sampled field".
/// @param vertices   3 numbers each, material frame [m]
/// @param triangles  3 indices each, outward by the right hand
double unresolved_fraction(const SignedField& field, std::span<const double> vertices,
                           std::span<const std::uint32_t> triangles);

inline constexpr std::size_t kMostTriangles = 20'000;
/// A larger fraction is more than sharp edges cause.
inline constexpr double kLargestUnresolvedFraction = 0.05;

}  // namespace haptic
