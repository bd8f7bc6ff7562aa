#pragma once

#include <cstdint>
#include <span>

#include "rt/geometry/signed_field.h"

namespace haptic {

/// Fraction of a surface, by area, that bounds parts which the field does not resolve: the
/// interpolated field of a part thinner than a voxel is nowhere negative, so nothing can touch it.
/// Sampled below the centroids of at most kMaxTriangles triangles, down to two voxels.
/// 0 for a surface without area. Source: docs/methods/contact-and-coupling.md, "Sampled field".
/// @param vertices   3 numbers each, material frame [m]
/// @param triangles  3 indices each, counterclockwise seen from outside
double unresolved_fraction(const SignedField& field, std::span<const double> vertices,
                           std::span<const std::uint32_t> triangles);

/// Fraction of a surface, by area, that bounds walls thinner than `thickness` [m] that the field
/// resolves: straight in from the surface, the field's inside ends before that. Sampled like
/// unresolved_fraction, a quarter of a voxel apart, but at most 256 times per triangle.
double thin_fraction(const SignedField& field, std::span<const double> vertices,
                     std::span<const std::uint32_t> triangles, double thickness);

/// Mean distance of the points that sample a surface, sqrt(area / points) [m].
double mean_spacing(std::span<const double> vertices, std::span<const std::uint32_t> triangles,
                    std::size_t points);

inline constexpr std::size_t kMaxTriangles = 20'000;
/// Larger fractions are more than sharp edges cause.
inline constexpr double kMaxUnresolvedFraction = 0.05, kMaxThinFraction = 0.1;

}  // namespace haptic
