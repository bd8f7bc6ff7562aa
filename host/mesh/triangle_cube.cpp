#include <algorithm>
#include <cmath>

#include "host/mesh/voxel_mesh.h"

namespace haptic {

bool triangle_meets_cube(const Vector3& centre, double half, const Vector3& a, const Vector3& b,
                         const Vector3& c) {
  // Touching counts. The slack keeps the test conservative when rounding moves a touching
  // triangle off the cube by a few units in the last place.
  const double reach = half * (1.0 + 1e-9);
  const Vector3 v0 = a - centre, v1 = b - centre, v2 = c - centre;

  for (int axis = 0; axis < 3; ++axis) {
    const auto [low, high] = std::minmax({v0[axis], v1[axis], v2[axis]});
    if (low > reach || high < -reach) return false;
  }

  const Vector3 edges[3] = {v1 - v0, v2 - v1, v0 - v2};
  const Vector3 normal = edges[0].cross(edges[1]);
  if (std::abs(normal.dot(v0)) > reach * normal.cwiseAbs().sum()) return false;

  for (const Vector3& edge : edges) {
    for (int axis = 0; axis < 3; ++axis) {
      const Vector3 direction = Vector3::Unit(axis).cross(edge);
      const double p0 = direction.dot(v0), p1 = direction.dot(v1), p2 = direction.dot(v2);
      const double radius = reach * direction.cwiseAbs().sum();
      const auto [low, high] = std::minmax({p0, p1, p2});
      if (low > radius || high < -radius) return false;
    }
  }
  return true;
}

}  // namespace haptic
