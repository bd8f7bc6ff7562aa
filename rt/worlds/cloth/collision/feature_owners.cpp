#include "rt/worlds/cloth/collision/feature_owners.h"

#include <algorithm>
#include <set>
#include <utility>

namespace haptic::cloth {
namespace {

void join(const std::vector<std::vector<std::uint32_t>>& parts, std::vector<std::uint32_t>& all,
          std::vector<std::uint32_t>& first) {
  for (const auto& part : parts) {
    first.push_back(static_cast<std::uint32_t>(all.size()));
    all.insert(all.end(), part.begin(), part.end());
  }
  first.push_back(static_cast<std::uint32_t>(all.size()));
}

}  // namespace

FeatureOwners::FeatureOwners(std::span<const TriangleCorners> triangles, std::size_t particles)
    : owned_(triangles.size()) {
  std::vector<bool> taken(particles, false);
  std::set<std::pair<std::uint32_t, std::uint32_t>> known;
  std::vector<std::vector<std::uint32_t>> triangles_of(particles), edges_of(particles);
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    Owned& own = owned_[t];
    own.first_edge = static_cast<std::uint32_t>(edges_.size());
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t i = triangles[t][k], j = triangles[t][(k + 1) % 3];
      if (!taken[i]) own.vertices[own.vertex_count++] = i;
      taken[i] = true;
      triangles_of[i].push_back(t);
      if (!known.insert(std::minmax(i, j)).second) continue;
      edges_of[i].push_back(static_cast<std::uint32_t>(edges_.size()));
      edges_of[j].push_back(static_cast<std::uint32_t>(edges_.size()));
      edges_.push_back({i, j});
    }
    own.edge_count = static_cast<std::uint32_t>(edges_.size()) - own.first_edge;
  }
  join(triangles_of, star_triangles_, first_triangle_);
  join(edges_of, star_edges_, first_edge_);
}

}  // namespace haptic::cloth
