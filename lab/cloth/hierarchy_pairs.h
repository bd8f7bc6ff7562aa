#pragma once

#include <cstddef>
#include <cstdint>

#include "lab/cloth/sphere_volume.h"
#include "rt/worlds/cloth/collision/bounded_list.h"
#include "rt/worlds/cloth/collision/node_pair_stack.h"
#include "shared/realtime.h"

namespace haptic::lab {

/// By which a traversal of two trees decides which of two nodes to descend [m]: the longest side,
/// the diameter. Not the content, which is 0 of a flat box.
inline double extent(const cloth::BoxVolume& volume) HAPTIC_REALTIME {
  return (volume.upper - volume.lower).maxCoeff();
}
inline double extent(const SphereVolume& volume) HAPTIC_REALTIME {
  return 2.0 * volume.radius;
}

/// Descends from the pair (a, b) of nodes of two trees to the pairs of leaves that overlap, and
/// calls `leaves(node_a, node_b)` for each; it ends when that returns false. Of two nodes the
/// internal one is descended, of two internal ones the larger: a leaf has no children, and the
/// printed algorithm, which goes by size alone, loses the pair there.
/// @returns pairs visited
template <class Volume, class Leaves>
std::size_t visit_leaf_pairs(const cloth::VolumeHierarchy<Volume>& tree_a,
                             const cloth::VolumeHierarchy<Volume>& tree_b, std::uint32_t root_a,
                             std::uint32_t root_b, Leaves&& leaves) HAPTIC_REALTIME {
  const cloth::HierarchyTopology &nodes_a = tree_a.topology(), &nodes_b = tree_b.topology();
  cloth::NodePairStack stack;
  stack.push(root_a, root_b);
  std::size_t visited = 0;
  while (!stack.empty()) {
    const auto [a, b] = stack.pop();
    ++visited;
    if (!overlap(tree_a.volume(a), tree_b.volume(b))) continue;
    const bool leaf_a = nodes_a.is_leaf(a), leaf_b = nodes_b.is_leaf(b);
    if (leaf_a && leaf_b) {
      if (!leaves(a, b)) return visited;
    } else if (leaf_b || (!leaf_a && extent(tree_a.volume(a)) >= extent(tree_b.volume(b)))) {
      for (std::uint32_t k = nodes_a.child_count(a); k-- > 0;) {
        stack.push(nodes_a.first_child(a) + k, b);
      }
    } else {
      for (std::uint32_t k = nodes_b.child_count(b); k-- > 0;) {
        stack.push(a, nodes_b.first_child(b) + k);
      }
    }
  }
  return visited;
}

/// Pairs of triangles of two cloths whose leaves overlap, appended to `found`. The order is that of
/// the trees. Ends early when the list is full.
/// @returns pairs of nodes visited
template <class Volume>
std::size_t find_pairs(const cloth::VolumeHierarchy<Volume>& a,
                       const cloth::VolumeHierarchy<Volume>& b,
                       cloth::TrianglePairList& found) HAPTIC_REALTIME {
  return visit_leaf_pairs(a, b, 0, 0, [&](std::uint32_t leaf_a, std::uint32_t leaf_b) {
    return found.push({a.topology().triangle(leaf_a), b.topology().triangle(leaf_b)});
  });
}

}  // namespace haptic::lab
