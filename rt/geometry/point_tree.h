#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "rt/geometry/modal_coordinates.h"
#include "shared/realtime.h"

namespace haptic {

class ModelFile;

/// Nested point-tree over a shell: spheres about shell points whose radii grow with |q|.
/// A read-only view of /shell/tree/..., whose owner outlives it.
///
/// Levels are ordered from coarse to fine. The nodes of a level are contiguous, and so are the
/// children of a node, which are on the next level. Every node below the first level has exactly
/// one parent, so a traversal visits at most as many nodes on a level as the level has.
/// Source: docs/methods/contact-and-coupling.md, "Point tree"; Barbic 2007, Eq 3.12.
class PointTree {
 public:
  /// T nodes in l levels. @param r reduced coordinates, 0 for a rigid body
  /// @param point_count  s, the size of the shell
  /// @param level_begin  l + 1 node indices, from 0 to T
  /// @param point        T shell points, the centres
  /// @param child_begin, child_count  T; a leaf has no children
  /// @param radius       T, R0 [m] >= 0
  /// @param modal_radius T x r, a_ij >= 0; empty if r = 0
  /// @param source       file name for messages
  /// @throws InputError if a size, index, range or radius is invalid
  PointTree(std::uint32_t r, std::uint32_t point_count, std::span<const std::uint32_t> level_begin,
            std::span<const std::uint32_t> point, std::span<const std::uint32_t> child_begin,
            std::span<const std::uint32_t> child_count, std::span<const float> radius,
            std::span<const float> modal_radius, std::string_view source = "tree");
  explicit PointTree(const ModelFile& model);

  std::uint32_t dimension() const HAPTIC_REALTIME { return dimension_; }
  std::uint32_t point_count() const HAPTIC_REALTIME { return point_count_; }
  std::uint32_t level_count() const HAPTIC_REALTIME {
    return static_cast<std::uint32_t>(level_begin_.size() - 1);
  }
  std::uint32_t node_count() const HAPTIC_REALTIME { return level_begin_.back(); }
  /// First node of a level; level_begin(level_count()) is the number of nodes.
  std::uint32_t level_begin(std::uint32_t level) const HAPTIC_REALTIME {
    return level_begin_[level];
  }

  std::uint32_t point(std::uint32_t node) const HAPTIC_REALTIME { return point_[node]; }
  std::uint32_t child_begin(std::uint32_t node) const HAPTIC_REALTIME { return child_begin_[node]; }
  std::uint32_t child_count(std::uint32_t node) const HAPTIC_REALTIME { return child_count_[node]; }
  float rest_radius(std::uint32_t node) const HAPTIC_REALTIME { return radius_[node]; }
  /// a_ij, r floats; only for r > 0.
  const float* modal_radius(std::uint32_t node) const HAPTIC_REALTIME {
    return modal_radius_.data() + std::size_t{dimension_} * node;
  }

  /// R(q) = R0 + sum_j a_j |q_j| [m], rounded up: covers every point of the subtree at q.
  double radius(std::uint32_t node, const ModalCoordinates& q) const HAPTIC_REALTIME {
    const double rest = radius_[node];
    return dimension_ == 0 ? rest : kRoundUp * (rest + q.absolute_sum(modal_radius(node)));
  }

 private:
  // Much larger than the rounding error r * 2^-53 of the sum, too small to cause more visits.
  static constexpr double kRoundUp = 1.0 + 1e-12;

  std::uint32_t dimension_ = 0, point_count_ = 0;
  std::span<const std::uint32_t> level_begin_, point_, child_begin_, child_count_;
  std::span<const float> radius_, modal_radius_;
};

}  // namespace haptic
