#pragma once

#include <functional>
#include <vector>

#include "host/mesh/triangle_mesh.h"
#include "shared/progress.h"

namespace haptic {

/// Signed distance, or a function with the same zero set and sign (negative inside) [m].
using Implicit = std::function<double(const Vector3&)>;

/// Meshes the zero set inside `box`: samples on a grid of `resolution` cells along the longest side
/// (plus a margin), dual contouring, then a few Newton steps of each vertex on the function, which
/// resolve edges and thin parts that linear interpolation would smooth.
/// @param progress told the fraction done, from several threads; may be empty
/// @throws OperationError if there is no surface
TriangleMesh implicit_surface(const Implicit& solid, const BoundingBox& box,
                              std::uint32_t resolution, const Progress& progress = {});

/// Smooth minimum: a union whose seam is rounded over about `radius`
/// (polynomial, Quilez 2013); exact union for radius 0.
double smooth_union(double a, double b, double radius);

/// Smooth maximum: an intersection whose edge is rounded over about `radius`.
double smooth_intersection(double a, double b, double radius);

/// Distance to a box centred on the origin, rounded by `rounding` (kept within its size).
double box_distance(const Vector3& p, const Vector3& half_size, double rounding = 0.0);

/// Straight bars of one solid: distance to the nearest bar, skipping bars that are too far away.
class BarSet {
 public:
  /// Square section of half width `half`, ends cut square at a and b; sides horizontal where
  /// possible.
  void add_square(const Vector3& a, const Vector3& b, double half);
  /// Round section, half-spherical ends around a and b.
  void add_round(const Vector3& a, const Vector3& b, double radius);

  /// Signed distance to the union (a large number for no bars).
  double distance(const Vector3& p) const;

 private:
  struct Bar {
    Vector3 centre;
    Matrix3 axes;       ///< rows: along, side, up
    Vector3 half_size;  ///< of the box; (half length, 0, 0) for a round bar
    double radius;      ///< round bars: added around the axis; square bars: 0
    double reach;       ///< of the sphere around the bar
  };
  std::vector<Bar> bars_;
};

}  // namespace haptic
