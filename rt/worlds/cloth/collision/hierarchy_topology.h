#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/collision/moving_triangles.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Nodes of a tree over triangles, one triangle a leaf, numbered breadth first.
///
/// The root is 0, a parent's number is below its children's, and siblings are consecutive. The tree
/// is made once: motion changes volumes, not nodes.
/// Source: docs/methods/cloth.md, "Bounding volume hierarchy".
class HierarchyTopology {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  /// Top down: the triangles of a node are split at the median of their centroids along the longest
  /// axis of their box, into floor(n / 2) and the rest; for 4 and 8 children each part is split
  /// again. Ties are in the order of the triangles.
  /// @param x          positions [m], 3 values a particle
  /// @param branching  2, 4 or 8: most children of a node
  /// @throws InputError as check_triangles, or if `branching` is another number
  HierarchyTopology(std::span<const TriangleCorners> triangles, std::span<const double> x,
                    std::uint32_t branching);

  std::uint32_t size() const HAPTIC_REALTIME { return static_cast<std::uint32_t>(parent_.size()); }
  std::uint32_t parent(std::uint32_t node) const HAPTIC_REALTIME { return parent_[node]; }
  std::uint32_t first_child(std::uint32_t node) const HAPTIC_REALTIME { return first_child_[node]; }
  std::uint32_t child_count(std::uint32_t node) const HAPTIC_REALTIME { return child_count_[node]; }
  bool is_leaf(std::uint32_t node) const HAPTIC_REALTIME { return child_count_[node] == 0; }
  /// Of a leaf; kNone of an internal node.
  std::uint32_t triangle(std::uint32_t node) const HAPTIC_REALTIME { return triangle_[node]; }
  /// The node after `node` and all below it, depth first; size() at the end. With it a traversal
  /// needs no stack.
  std::uint32_t after(std::uint32_t node) const HAPTIC_REALTIME { return after_[node]; }

  /// Ascending.
  std::span<const std::uint32_t> leaves() const HAPTIC_REALTIME { return leaves_; }
  std::span<const TriangleCorners> triangles() const HAPTIC_REALTIME { return triangles_; }
  std::size_t particle_count() const HAPTIC_REALTIME { return particle_count_; }

 private:
  std::vector<TriangleCorners> triangles_;
  std::size_t particle_count_;
  std::vector<std::uint32_t> parent_, first_child_, triangle_, after_, leaves_;
  std::vector<std::uint8_t> child_count_;
};

}  // namespace haptic::cloth
