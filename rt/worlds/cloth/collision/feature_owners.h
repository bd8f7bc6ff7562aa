#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rt/worlds/cloth/collision/moving_triangles.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Edges of a surface, which triangle owns each vertex and edge, and the star of each particle: the
/// triangles and edges that have it. Each feature has one owner, so a search over pairs of
/// triangles finds a pair of features once.
/// Source: Curtis et al. 2008, representative triangles.
class FeatureOwners {
 public:
  struct Edge {
    std::uint32_t a, b;
  };
  struct Owned {  // features of a triangle that no triangle before it has
    std::array<std::uint32_t, 3> vertices{};
    std::uint32_t vertex_count = 0, first_edge = 0, edge_count = 0;
  };

  FeatureOwners(std::span<const TriangleCorners> triangles, std::size_t particles);

  std::span<const Edge> edges() const HAPTIC_REALTIME { return edges_; }
  const Owned& owned(std::uint32_t triangle) const HAPTIC_REALTIME { return owned_[triangle]; }
  /// Triangles and edges that have the particle, ascending.
  std::span<const std::uint32_t> triangles_of(std::uint32_t particle) const HAPTIC_REALTIME {
    return part(star_triangles_, first_triangle_, particle);
  }
  std::span<const std::uint32_t> edges_of(std::uint32_t particle) const HAPTIC_REALTIME {
    return part(star_edges_, first_edge_, particle);
  }

 private:
  static std::span<const std::uint32_t> part(const std::vector<std::uint32_t>& of,
                                             const std::vector<std::uint32_t>& first,
                                             std::uint32_t particle) HAPTIC_REALTIME {
    return {of.data() + first[particle], first[particle + 1] - first[particle]};
  }

  std::vector<Edge> edges_;
  std::vector<Owned> owned_;  // a triangle
  std::vector<std::uint32_t> first_triangle_, star_triangles_, first_edge_, star_edges_;
};

}  // namespace haptic::cloth
