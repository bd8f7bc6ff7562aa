#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shared/math/pose.h"

namespace haptic {

/// Nested point tree (docs/methods/contact-and-coupling.md, "Point tree") as in /shell/tree/*.
///
/// Level i holds one node for every point of levels <= i, so the last level holds each point once.
/// The parent of a node is the nearest node of the level above (ties to the lowest point); a copy
/// of the parent's own point is its first child, the others follow by point index. Children of
/// consecutive nodes are consecutive, so the descendants of a node are one range on every level.
struct BuiltTree {
  std::vector<std::uint32_t> level_begin;  ///< l + 1; the last entry is the number of nodes T
  std::vector<std::uint32_t> point;        ///< T
  std::vector<std::uint32_t> child_begin;  ///< T; T for a leaf
  std::vector<std::uint32_t> child_count;  ///< T; 0 for a leaf
  std::vector<float> radius;               ///< T [m], R0 over all points below; 0 for a leaf
  /// T x r, a_ij = max over the points s below node i of |U_sj - U_cj|; empty if r = 0.
  std::vector<float> modal_radius;

  std::size_t levels() const { return level_begin.size() - 1; }
  std::size_t nodes() const { return point.size(); }
};

/// Builds the tree over points in level order.
/// @param points       s rest positions [m]
/// @param level_end    number of points of levels <= i, strictly increasing, the last is s
/// @param displacement U_s, s x 3 x r row-major, as stored (empty for a rigid body)
/// Radii are computed in double from the given values and rounded up to float, so that
/// |p_s - p_c| <= R0 + sum a_j |q_j| holds for the stored numbers (Barbic 2007, Eq 3.12).
/// @throws InputError if sizes do not fit together
BuiltTree build_point_tree(std::span<const Vector3> points,
                           std::span<const std::uint32_t> level_end,
                           std::span<const float> displacement = {}, std::uint32_t r = 0);

/// The order of the points by the nodes of that tree: `order[i]` is the point for place i; the
/// levels keep their sets of points. In that order a node's new children are consecutive points,
/// neighbours in space are neighbours in memory, and a traversal meets points ascending. The first
/// level follows a space-filling curve.
/// @throws InputError if sizes do not fit together
std::vector<std::uint32_t> tree_order(std::span<const Vector3> points,
                                      std::span<const std::uint32_t> level_end);

}  // namespace haptic
