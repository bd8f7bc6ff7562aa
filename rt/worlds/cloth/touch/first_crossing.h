#pragma once

#include "rt/geometry/triangle_distance.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Where a point on a straight way passes through a triangle whose corners move on straight lines.
struct Crossing {
  double time = 1.0;                  ///< fraction of the step
  Vector3 weights = Vector3::Zero();  ///< barycentric, of the corners
  double side = 1.0;                  ///< 1 if it comes from the front, -1 from the back
};

/// First crossing within a step, from either side. The volume of the tetrahedron of triangle and
/// point is a cubic in time; its roots are bracketed between its turning points.
/// Source: docs/methods/cloth.md, "Moving triangles".
/// @param tolerance  a point that ends at most this near to the plane has crossed [m], >= 0. A
///                   point that starts on the plane is on no side and does not cross.
/// @returns false if there is none
bool first_crossing(const Corners& start, const Corners& end, const Vector3& point_start,
                    const Vector3& point_end, double tolerance, Crossing& crossing) HAPTIC_REALTIME;

}  // namespace haptic::cloth
