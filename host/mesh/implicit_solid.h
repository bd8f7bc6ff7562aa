#pragma once

#include <functional>

#include "host/mesh/triangle_mesh.h"

namespace haptic {

/// Signed distance, or a function with the same zero set and sign (negative inside) [m].
using Implicit = std::function<double(const Vector3&)>;

/// Meshes the zero set inside `box`: samples on a grid of `resolution` cells along the longest
/// side (plus a margin), dual contouring, then a few Newton steps of each vertex on the function,
/// which bring out edges and thin parts that a linear interpolation would wash out.
/// @throws OperationError if there is no surface
TriangleMesh implicit_surface(const Implicit& solid, const BoundingBox& box,
                              std::uint32_t resolution);

/// Smooth minimum: a union whose seam is rounded over about `radius`
/// (polynomial, Quilez 2013); exact union for radius 0.
double smooth_union(double a, double b, double radius);

/// Distance to a box centred on the origin, rounded by `rounding` (kept within its size).
double box_distance(const Vector3& p, const Vector3& half_size, double rounding = 0.0);

/// Distance to a bar of square section (half width `half`) from a to b, ends cut square.
double square_bar_distance(const Vector3& p, const Vector3& a, const Vector3& b, double half);

/// Distance to a round bar from a to b, half-spherical ends.
double round_bar_distance(const Vector3& p, const Vector3& a, const Vector3& b, double radius);

}  // namespace haptic
