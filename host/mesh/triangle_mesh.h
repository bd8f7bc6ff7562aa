#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/mesh/placement.h"
#include "shared/math/pose.h"

namespace haptic {

/// Axis-aligned box, `lower` <= `upper` in every axis [m].
struct BoundingBox {
  Vector3 lower = Vector3::Zero();
  Vector3 upper = Vector3::Zero();

  Vector3 size() const { return upper - lower; }
  Vector3 centre() const { return 0.5 * (lower + upper); }
  double longest_side() const { return size().maxCoeff(); }
  void include(const Vector3& p) {
    lower = lower.cwiseMin(p);
    upper = upper.cwiseMax(p);
  }
  bool overlaps(const BoundingBox& other) const {
    return (lower.array() <= other.upper.array()).all() &&
           (other.lower.array() <= upper.array()).all();
  }
  bool contains(const BoundingBox& other) const {
    return (lower.array() <= other.lower.array()).all() &&
           (upper.array() >= other.upper.array()).all();
  }
};

/// Indexed triangle surface. A triangle is outward by the right hand when the surface is closed.
/// Every index is below vertices.size().
struct TriangleMesh {
  std::vector<Vector3> vertices;                        ///< m (or file units before scaling)
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< vertex indices
};

/// Box of all vertices; both corners zero for a mesh without vertices.
BoundingBox bounding_box(const TriangleMesh& mesh);

/// Sum of the triangle areas [m^2].
double surface_area(const TriangleMesh& mesh);

/// Volume enclosed by a closed surface, positive if its triangles are outward [m^3]. For an open
/// surface the value depends on the origin and is meaningless.
double signed_volume(const TriangleMesh& mesh);

/// Uniformly scaled about the origin. @param factor > 0
TriangleMesh scaled(TriangleMesh mesh, double factor);

/// With all vertices placed.
TriangleMesh placed(TriangleMesh mesh, const Placement& placement);

/// Moved by `offset` [m].
TriangleMesh translated(TriangleMesh mesh, const Vector3& offset);

/// Both meshes in one, without joining anything.
TriangleMesh merged(TriangleMesh mesh, const TriangleMesh& other);

}  // namespace haptic
