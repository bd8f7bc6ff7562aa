#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/cloth/hierarchy_pairs.h"
#include "lab/cloth/normal_cones.h"
#include "lab/cloth/region_contours.h"
#include "rt/worlds/cloth/collision/bounded_list.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "shared/realtime.h"

namespace haptic::lab {

/// Pairs of triangles of one cloth that may intersect.
///
/// Part of a surface does not intersect itself if it is a disk, its normals are within 90 degrees
/// of one direction, and its border, seen along that direction, is simple: then each of its points
/// is covered once. Such a node is skipped. Two parts that meet at a border are compared down to
/// their triangles there.
/// Source: docs/methods/cloth.md, "Self-collision".
class SelfCollision {
 public:
  /// @param nodes  of the hierarchy that `find` gets; outlives this
  explicit SelfCollision(const cloth::HierarchyTopology& nodes);

  /// Finds which nodes may be skipped. Time is that of the cones, and of the square of the borders'
  /// lengths of the nodes that are tested.
  /// @returns kNotFinite if a position is not finite or beyond 1e100 m; nothing is skipped then
  [[nodiscard]] cloth::UpdateResult update(std::span<const double> x) HAPTIC_REALTIME;

  /// Whether the node, or one above it, cannot intersect itself.
  bool is_skipped(std::uint32_t node) const HAPTIC_REALTIME;

  /// Pairs of triangles without a common corner whose leaves overlap, but for those within one
  /// skipped node. Each once, with a < b; appended to `found`. Ends early when the list is full.
  /// @param tree  refitted for the positions of the last update
  /// @returns pairs of nodes visited
  template <class Volume>
  std::size_t find(const cloth::VolumeHierarchy<Volume>& tree,
                   cloth::TrianglePairList& found) const HAPTIC_REALTIME;

 private:
  bool cannot_intersect(std::uint32_t node, std::span<const double> x) HAPTIC_REALTIME;
  bool share_corner(std::uint32_t s, std::uint32_t t) const HAPTIC_REALTIME;

  const cloth::HierarchyTopology& nodes_;
  NormalCones cones_;
  RegionContours contours_;
  std::vector<double> seen_;            // workspace of a contour
  std::vector<unsigned char> skipped_;  // a node; not set below a node that is
};

template <class Volume>
std::size_t SelfCollision::find(const cloth::VolumeHierarchy<Volume>& tree,
                                cloth::TrianglePairList& found) const HAPTIC_REALTIME {
  std::size_t visited = 0;
  bool room = true;
  const auto add = [&](std::uint32_t leaf_a, std::uint32_t leaf_b) {
    const std::uint32_t s = nodes_.triangle(leaf_a), t = nodes_.triangle(leaf_b);
    if (!share_corner(s, t))
      room = found.push(s < t ? cloth::TrianglePair{s, t} : cloth::TrianglePair{t, s});
    return room;
  };
  for (std::uint32_t node = 0; node < nodes_.size();) {
    if (nodes_.is_leaf(node) || skipped_[node] != 0) {
      node = nodes_.after(node);
      continue;
    }
    const std::uint32_t first = nodes_.first_child(node), end = first + nodes_.child_count(node);
    for (std::uint32_t a = first; a < end; ++a) {
      for (std::uint32_t b = a + 1; b < end; ++b) {
        visited += visit_leaf_pairs(tree, tree, a, b, add);
        if (!room) return visited;
      }
    }
    node = first;
  }
  return visited;
}

}  // namespace haptic::lab
