#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/condensed/condensed_surface.h"
#include "shared/realtime.h"

namespace haptic::condensed {

/// Points of a surface between its vertices, so dense that a tool cannot pass between them: on the
/// edges and inside the triangles that are longer than a spacing, a regular grid in each.
class SurfaceSamples {
 public:
  /// Largest number of parts of an edge.
  static constexpr int kMostParts = 8;

  /// @param spacing  of points and vertices along the edges, at rest [m], > 0; larger where an edge
  ///                 would have more than kMostParts
  SurfaceSamples(const CondensedSurface& surface, double spacing);

  std::size_t size() const HAPTIC_REALTIME { return points_.size(); }
  const SurfacePoint& operator[](std::size_t i) const HAPTIC_REALTIME { return points_[i]; }
  /// The first of the points that belong to a triangle; those of triangle t end where those of the
  /// next begin. A point on an edge belongs to one of its triangles.
  std::size_t first(std::uint32_t triangle) const HAPTIC_REALTIME { return first_[triangle]; }
  /// Largest distance of neighbours along an edge at rest [m].
  double spacing() const { return spacing_; }

 private:
  std::vector<SurfacePoint> points_;
  std::vector<std::size_t> first_;  // per triangle, and the end
  double spacing_ = 0.0;
};

}  // namespace haptic::condensed
