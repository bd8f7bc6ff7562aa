#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rt/worlds/cloth/collision/bounded_list.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Pairs of nodes that a traversal has yet to visit, on the stack of the caller.
///
/// A tree over 2^30 triangles has 30, 15 or 10 levels below the root with 2, 4 or 8 children, and
/// one level that is descended leaves at most branching - 1 pairs behind: 2 x 10 x 7 + 1 = 141 at
/// most for two trees. A search that descends both nodes of a pair leaves up to branching^2 - 1
/// behind, with 4 children 15 x 15 + 1 = 226, and pushes 16 at a time.
class NodePairStack {
 public:
  struct Pair {
    std::uint32_t a, b;
  };
  bool empty() const HAPTIC_REALTIME { return count_ == 0; }
  void push(std::uint32_t a, std::uint32_t b) HAPTIC_REALTIME { pairs_[count_++] = {a, b}; }
  /// Without a branch, which a search would mispredict.
  void push_if(bool condition, std::uint32_t a, std::uint32_t b) HAPTIC_REALTIME {
    pairs_[count_] = {a, b};
    count_ += condition ? 1 : 0;
  }
  Pair pop() HAPTIC_REALTIME { return pairs_[--count_]; }

 private:
  std::array<Pair, 256> pairs_;
  std::size_t count_ = 0;
};

/// Descends from the pair (a, b) of nodes of two trees to the pairs of leaves that overlap, and
/// calls `leaves(node_a, node_b)` for each; it ends when that returns false. Of two nodes the
/// internal one is descended, of two internal ones the larger: a leaf has no children, and the
/// printed algorithm, which goes by size alone, loses the pair there.
/// @returns pairs visited
template <class Volume, class Leaves>
std::size_t visit_leaf_pairs(const VolumeHierarchy<Volume>& tree_a,
                             const VolumeHierarchy<Volume>& tree_b, std::uint32_t root_a,
                             std::uint32_t root_b, Leaves&& leaves) HAPTIC_REALTIME {
  const HierarchyTopology &nodes_a = tree_a.topology(), &nodes_b = tree_b.topology();
  NodePairStack stack;
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
std::size_t find_pairs(const VolumeHierarchy<Volume>& a, const VolumeHierarchy<Volume>& b,
                       TrianglePairList& found) HAPTIC_REALTIME {
  return visit_leaf_pairs(a, b, 0, 0, [&](std::uint32_t leaf_a, std::uint32_t leaf_b) {
    return found.push({a.topology().triangle(leaf_a), b.topology().triangle(leaf_b)});
  });
}

}  // namespace haptic::cloth
