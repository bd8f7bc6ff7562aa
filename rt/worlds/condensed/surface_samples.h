#pragma once

#include <array>
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
  static constexpr int kMaxParts = 8;

  /// @param spacing  of points and vertices along the edges, at rest [m], > 0; larger where an edge
  ///                 would have more than kMaxParts
  SurfaceSamples(const CondensedSurface& surface, double spacing);

  std::size_t size() const HAPTIC_REALTIME { return points_.size(); }
  const SurfacePoint& operator[](std::size_t i) const HAPTIC_REALTIME { return points_[i]; }
  /// The first of the points that belong to a triangle; those of triangle t end where those of the
  /// next begin. A point on an edge belongs to one of its triangles.
  std::size_t first(std::uint32_t triangle) const HAPTIC_REALTIME { return first_[triangle]; }
  /// Largest distance of neighbours along an edge at rest [m].
  double spacing() const { return spacing_; }

  /// A part of an edge of the surface: between two neighbours on it.
  struct EdgePart {
    std::uint32_t triangle = 0;           ///< to which the edge belongs
    std::array<std::uint32_t, 2> ends{};  ///< a vertex, or vertex count + a sample
    std::array<Vector3, 2> weights{};     ///< of the ends in the triangle
  };
  std::size_t edge_part_count() const HAPTIC_REALTIME { return edge_parts_.size(); }
  const EdgePart& edge_part(std::size_t i) const HAPTIC_REALTIME { return edge_parts_[i]; }
  /// As first(), of the edges' parts.
  std::size_t first_edge_part(std::uint32_t triangle) const HAPTIC_REALTIME {
    return first_edge_part_[triangle];
  }

 private:
  void add_edge_parts(const CondensedSurface& surface, std::uint32_t triangle, int parts);

  std::vector<SurfacePoint> points_;
  std::vector<EdgePart> edge_parts_;
  std::vector<std::size_t> first_, first_edge_part_;  // per triangle, and the end
  double spacing_ = 0.0;
};

}  // namespace haptic::condensed
