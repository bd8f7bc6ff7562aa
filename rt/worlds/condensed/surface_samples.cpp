#include "rt/worlds/condensed/surface_samples.h"

#include <algorithm>
#include <cmath>

#include "shared/assert.h"

namespace haptic::condensed {

namespace {

double longest_edge(const CondensedSurface& surface, std::uint32_t triangle) {
  const auto v = surface.corners(triangle);
  double longest = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    longest = std::max(longest, (surface.rest(v[k]) - surface.rest(v[(k + 1) % 3])).norm());
  }
  return longest;
}

/// Whether the edge opposite of a corner belongs to this triangle, not to the one across.
bool owns_edge(const CondensedSurface& surface, std::uint32_t triangle, std::size_t corner) {
  return surface.across(triangle, corner) >= triangle;  // kNone is larger than any
}

}  // namespace

SurfaceSamples::SurfaceSamples(const CondensedSurface& surface, double spacing) {
  HAPTIC_DEMAND(spacing > 0.0);
  for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
    first_.push_back(points_.size());
    const double longest = longest_edge(surface, t);
    const int parts =
        static_cast<int>(std::clamp(std::ceil(longest / spacing), 1.0, double{kMaxParts}));
    spacing_ = std::max(spacing_, longest / parts);
    for (int i = 0; i <= parts; ++i) {
      for (int j = 0; i + j <= parts; ++j) {
        const int steps[3] = {i, j, parts - i - j};
        if (std::ranges::find(steps, parts) != std::end(steps)) continue;  // a vertex
        const auto on_edge = std::ranges::find(steps, 0);
        if (on_edge != std::end(steps) &&
            !owns_edge(surface, t, static_cast<std::size_t>(on_edge - std::begin(steps)))) {
          continue;
        }
        points_.push_back({t, Vector3(steps[0], steps[1], steps[2]) / parts});
      }
    }
    add_edge_parts(surface, t, parts);
  }
  first_.push_back(points_.size());
  first_edge_part_.push_back(edge_parts_.size());
}

void SurfaceSamples::add_edge_parts(const CondensedSurface& surface, std::uint32_t triangle,
                                    int parts) {
  first_edge_part_.push_back(edge_parts_.size());
  const auto corners = surface.corners(triangle);
  for (std::size_t corner = 0; corner < 3; ++corner) {
    if (!owns_edge(surface, triangle, corner)) continue;
    const std::size_t from = (corner + 1) % 3, to = (corner + 2) % 3;
    const auto end = [&](int step, std::uint32_t& id, Vector3& weights) {
      weights.setZero();
      weights[static_cast<Eigen::Index>(from)] = static_cast<double>(parts - step) / parts;
      weights[static_cast<Eigen::Index>(to)] = static_cast<double>(step) / parts;
      id = corners[step == 0 ? from : to];
      if (step == 0 || step == parts) return;
      const auto own = std::span(points_).subspan(first_[triangle]);
      const auto at = std::ranges::find_if(
          own, [&](const SurfacePoint& p) { return (p.weights - weights).squaredNorm() < 1e-12; });
      id = static_cast<std::uint32_t>(surface.vertex_count() + first_[triangle] +
                                      static_cast<std::size_t>(at - own.begin()));
    };
    for (int step = 0; step < parts; ++step) {
      EdgePart part{triangle, {}, {}};
      end(step, part.ends[0], part.weights[0]);
      end(step + 1, part.ends[1], part.weights[1]);
      edge_parts_.push_back(part);
    }
  }
}

}  // namespace haptic::condensed
