#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/collision/bounded_list.h"
#include "rt/worlds/cloth/collision/bounding_volumes.h"
#include "rt/worlds/cloth/collision/hierarchy_topology.h"
#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Bounding volume hierarchy over the triangles of a cloth that moves.
///
/// A leaf's volume is that of its triangle, grown by `inflation`; that of any other node is the
/// union of its children's. Volumes hold for positions whose triangles are within their leaves'.
/// Source: docs/methods/cloth.md, "Bounding volume hierarchy".
template <class Volume>
class VolumeHierarchy {
 public:
  struct Settings {
    std::uint32_t branching = 4;  ///< 2, 4 or 8
    double inflation = 0.0;       ///< m, >= 0: motion that a leaf bears before it is refitted
  };

  /// @param x  positions [m], 3 values a particle
  /// @throws InputError as HierarchyTopology, or if `inflation` is out of range
  VolumeHierarchy(std::span<const TriangleCorners> triangles, std::span<const double> x,
                  Settings settings);

  /// Recomputes all volumes, bottom up. Cost: one update a node.
  /// @returns kNotFinite if a position is not finite or beyond 1e100 m
  [[nodiscard]] UpdateResult refit_all(std::span<const double> x) HAPTIC_REALTIME;

  /// The same for triangles whose corners move on straight lines from `start` to `end`, or anywhere
  /// in the boxes between these: a leaf has both ends.
  [[nodiscard]] UpdateResult refit_all(std::span<const double> start,
                                       std::span<const double> end) HAPTIC_REALTIME;

  /// Recomputes leaves that their triangle has left, and the nodes above these, each once. A leaf
  /// whose triangle has shrunk within it stays as it is.
  [[nodiscard]] UpdateResult refit(std::span<const double> x) HAPTIC_REALTIME;

  /// Nodes that the last refit recomputed, in its order: descending.
  std::span<const std::uint32_t> updated() const HAPTIC_REALTIME {
    return {updated_.data(), updated_count_};
  }

  const HierarchyTopology& topology() const HAPTIC_REALTIME { return topology_; }
  const Volume& volume(std::uint32_t node) const HAPTIC_REALTIME { return volumes_[node]; }

  /// Triangles whose leaves overlap `shape`, of which overlap(Volume, shape) decides. Depth first;
  /// appended to `found`. Ends early when the list is full.
  /// @param tests_leaves  false: of a node that overlaps, all leaves
  /// @returns nodes visited
  template <class Shape>
  std::size_t find(const Shape& shape, TriangleList& found,
                   bool tests_leaves = true) const HAPTIC_REALTIME {
    std::size_t visited = 0;
    for (std::uint32_t node = 0; node < topology_.size();) {
      ++visited;
      const bool tested = tests_leaves || !topology_.is_leaf(node);
      if (tested && !overlap(volumes_[node], shape)) {
        node = topology_.after(node);
      } else if (!topology_.is_leaf(node)) {
        node = topology_.first_child(node);
      } else {
        if (!found.push(topology_.triangle(node))) return visited;
        node = topology_.after(node);
      }
    }
    return visited;
  }

 private:
  /// @returns false if the triangle is not bounded
  bool bound_leaf(std::uint32_t leaf, std::span<const double> x, Volume& out) const HAPTIC_REALTIME;
  bool is_valid(std::uint32_t leaf, std::span<const double> x) const HAPTIC_REALTIME;
  void merge_children(std::uint32_t node) HAPTIC_REALTIME;
  void merge_all() HAPTIC_REALTIME;
  void mark(std::uint32_t node) HAPTIC_REALTIME;

  HierarchyTopology topology_;
  double inflation_;
  std::vector<Volume> volumes_;
  std::vector<Volume> leaf_volumes_;    // new ones, by place in leaves()
  std::vector<std::uint32_t> updated_;  // capacity: all nodes
  std::size_t updated_count_ = 0;
  std::vector<std::uint64_t> dirty_;  // a bit a node
  std::vector<std::uint32_t> place_;  // of a leaf in leaves()
};

extern template class VolumeHierarchy<BoxVolume>;

using BoxHierarchy = VolumeHierarchy<BoxVolume>;

}  // namespace haptic::cloth
