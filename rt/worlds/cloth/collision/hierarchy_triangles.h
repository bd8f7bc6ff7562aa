#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/collision/moving_triangles.h"
#include "rt/worlds/cloth/collision/volume_hierarchy.h"
#include "rt/worlds/cloth/touch/near_triangles.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// The triangles near a god-object, from a hierarchy of boxes: the same ones as ScannedTriangles,
/// in the same order.
///
/// Leaves have their triangle at the start and at the end of a step, so one `update` a step serves
/// every query about that step: `carry` with both ends, `move_to` and `place` with either.
/// Source: docs/methods/cloth.md, "God-object on the hierarchy".
class HierarchyTriangles final : public NearTriangles {
 public:
  /// @param x  positions [m], 3 values a particle
  /// @throws InputError as HierarchyTopology
  HierarchyTriangles(std::span<const TriangleCorners> triangles, std::span<const double> x);

  /// Once a step of the cloth, before the queries. Cost: one update a node.
  /// @param start, end  particles before and after the step [m]; the same for a still cloth
  /// @returns kNotFinite if a position is not finite or beyond 1e100 m: until the next update the
  ///          queries look at every triangle, since the tree does not bound them
  UpdateResult update(std::span<const double> start, std::span<const double> end) HAPTIC_REALTIME;

  /// @param start, end  each the start or the end of the last update, or between them
  std::size_t near(std::span<const double> start, std::span<const double> end, const TouchBox& box,
                   std::span<std::uint32_t> found) const HAPTIC_REALTIME override;

  /// Nodes that a query with this box visits.
  std::size_t visited(const TouchBox& box) const HAPTIC_REALTIME;
  /// Leaves have their triangle at both ends of the last update.
  const BoxHierarchy& tree() const HAPTIC_REALTIME { return tree_; }
  std::size_t node_count() const HAPTIC_REALTIME { return tree_.topology().size(); }

 private:
  BoxHierarchy tree_;
  ScannedTriangles scan_;
  UpdateResult updated_ = UpdateResult::kDone;
};

}  // namespace haptic::cloth
