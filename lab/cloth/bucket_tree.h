#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/cloth/sphere_volume.h"
#include "rt/worlds/cloth/collision/bounded_list.h"
#include "rt/worlds/cloth/collision/moving_triangles.h"
#include "shared/realtime.h"

namespace haptic::lab {

/// Complete octree of `levels` levels over the box of a cloth, with 8^levels leaf buckets.
///
/// A triangle is in the bucket of its centroid. A node's box is the union of the boxes of its
/// triangles, not its octant, so a triangle that spans several buckets is found in each of them.
/// An update costs one pass over the triangles and one over the nodes, whatever they are.
/// Source: docs/methods/cloth.md, "Bucket tree"; Ganovelli et al. 2000.
class BucketTree {
 public:
  static constexpr std::uint32_t kMaxLevels = 6;  // 262,144 buckets

  /// @param x       positions [m], 3 values a particle
  /// @param levels  0 to 6
  /// @throws InputError as check_triangles, or if `levels` is out of range
  BucketTree(std::span<const cloth::TriangleCorners> triangles, std::span<const double> x,
             std::uint32_t levels);

  /// Sorts the triangles into the buckets of these positions.
  /// @returns kNotFinite if a position is not finite or beyond 1e100 m; all is then as before
  [[nodiscard]] cloth::UpdateResult update(std::span<const double> x) HAPTIC_REALTIME;

  /// Triangles whose boxes overlap `shape`, a BoxVolume or a SweptPoint, bucket by bucket; appended
  /// to `found`. Ends early when the list is full.
  /// @returns nodes visited
  template <class Shape>
  std::size_t find(const Shape& shape, cloth::TriangleList& found) const HAPTIC_REALTIME;

  /// Place of a point along each axis: 0 to 2^levels - 1. A point on the far face is in the last.
  std::array<std::uint32_t, 3> place_of(const Vector3& p) const HAPTIC_REALTIME;
  std::size_t bucket_count() const HAPTIC_REALTIME { return std::size_t{1} << (3 * levels_); }
  /// Triangles in the bucket at a place, ascending.
  std::span<const std::uint32_t> bucket(const std::array<std::uint32_t, 3>& place) const
      HAPTIC_REALTIME;

 private:
  std::uint32_t code_of(const std::array<std::uint32_t, 3>& place) const HAPTIC_REALTIME;

  std::vector<cloth::TriangleCorners> triangles_;
  std::size_t particle_count_;
  std::uint32_t levels_;
  cloth::BoxVolume whole_;
  std::vector<cloth::BoxVolume> boxes_, new_boxes_;   // of the triangles
  std::vector<std::uint32_t> code_;                   // bucket of a triangle, Morton order
  std::vector<std::uint32_t> sorted_, bucket_begin_;  // by bucket; 8^levels + 1 bounds
  std::vector<cloth::BoxVolume> nodes_;               // level by level; children of n: 8 n + 1 ...
};

template <class Shape>
std::size_t BucketTree::find(const Shape& shape, cloth::TriangleList& found) const HAPTIC_REALTIME {
  const std::size_t first_bucket = nodes_.size() - bucket_count();
  std::array<std::size_t, 7 * kMaxLevels + 1> stack;  // a level leaves 7 nodes behind
  std::size_t waiting = 0, visited = 0;
  stack[waiting++] = 0;
  while (waiting > 0) {
    const std::size_t node = stack[--waiting];
    ++visited;
    if (!overlap(nodes_[node], shape)) continue;
    if (node < first_bucket) {
      for (std::size_t k = 8; k > 0; --k) stack[waiting++] = 8 * node + k;
      continue;
    }
    const std::size_t code = node - first_bucket;
    for (std::size_t k = bucket_begin_[code]; k < bucket_begin_[code + 1]; ++k) {
      if (overlap(boxes_[sorted_[k]], shape) && !found.push(sorted_[k])) return visited;
    }
  }
  return visited;
}

}  // namespace haptic::lab
