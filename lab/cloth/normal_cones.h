#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/collision/hierarchy_topology.h"
#include "rt/worlds/cloth/collision/moving_triangles.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::lab {

/// All directions within `half_angle` [rad] of `axis`, a unit vector. From pi / 2 on the cone is
/// kept as "all directions", pi.
struct NormalCone {
  Vector3 axis = Vector3::UnitZ();
  double half_angle = 0.0;
};

/// The normal of a triangle, (b - a) x (c - a). One without area (below 1e-12 of its longest side
/// squared) has all directions.
NormalCone normal_cone(const Vector3& a, const Vector3& b, const Vector3& c) HAPTIC_REALTIME;

/// Smallest cone around two.
NormalCone merged(const NormalCone& a, const NormalCone& b) HAPTIC_REALTIME;

/// Cones around the normals of all triangles below each node of a hierarchy.
/// Source: docs/methods/cloth.md, "Self-collision"; Provot 1997.
class NormalCones {
 public:
  /// @param nodes  outlives the cones
  explicit NormalCones(const cloth::HierarchyTopology& nodes);

  /// Cones for positions x [m] that are finite, bottom up.
  void update(std::span<const double> x) HAPTIC_REALTIME;
  const NormalCone& cone(std::uint32_t node) const HAPTIC_REALTIME { return cones_[node]; }

 private:
  const cloth::HierarchyTopology& nodes_;
  std::vector<NormalCone> cones_;
};

}  // namespace haptic::lab
