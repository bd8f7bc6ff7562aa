#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/collision/hierarchy_topology.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::lab {

/// Borders of the parts of a surface that the nodes of a hierarchy hold.
///
/// Only a part that is a disk has a contour here: joined across edges, each edge between two
/// triangles of one orientation, one border that passes no vertex twice, Euler number 1. Parts of
/// other shapes need an argument of their own to be pruned, and are not.
/// Source: docs/methods/cloth.md, "Self-collision"; Volino & Magnenat-Thalmann 1994.
class RegionContours {
 public:
  explicit RegionContours(const cloth::HierarchyTopology& nodes);

  /// Particles along the border of an internal node, in the direction of the triangles' edges.
  /// Empty for a leaf and for a part that is no disk.
  std::span<const std::uint32_t> contour(std::uint32_t node) const HAPTIC_REALTIME {
    return {particles_.data() + begin_[node], begin_[node + 1] - begin_[node]};
  }
  std::size_t longest() const HAPTIC_REALTIME { return longest_; }

 private:
  std::vector<std::uint32_t> particles_;
  std::vector<std::size_t> begin_;  // a bound a node, and the end
  std::size_t longest_ = 0;
};

/// Whether the closed line through the particles, seen along `direction`, neither crosses nor
/// touches itself. Lines that pass within 1e-9 of its size count as touching. Time grows with the
/// square of the count.
/// @param direction  unit vector
/// @param seen       workspace, at least 2 values a particle
bool is_simple_along(const Vector3& direction, std::span<const std::uint32_t> contour,
                     std::span<const double> x, std::span<double> seen) HAPTIC_REALTIME;

}  // namespace haptic::lab
