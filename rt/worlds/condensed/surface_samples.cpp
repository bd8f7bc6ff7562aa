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

}  // namespace

SurfaceSamples::SurfaceSamples(const CondensedSurface& surface, double spacing) {
  HAPTIC_DEMAND(spacing > 0.0);
  for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
    first_.push_back(points_.size());
    const double longest = longest_edge(surface, t);
    const int parts =
        static_cast<int>(std::clamp(std::ceil(longest / spacing), 1.0, double{kMostParts}));
    spacing_ = std::max(spacing_, longest / parts);
    for (int i = 0; i <= parts; ++i) {
      for (int j = 0; i + j <= parts; ++j) {
        const int steps[3] = {i, j, parts - i - j};
        if (std::ranges::find(steps, parts) != std::end(steps)) continue;  // a vertex
        const auto on_edge = std::ranges::find(steps, 0);
        if (on_edge != std::end(steps)) {
          const std::uint32_t other =
              surface.across(t, static_cast<std::size_t>(on_edge - std::begin(steps)));
          if (other != CondensedSurface::kNone && other < t) continue;
        }
        points_.push_back({t, Vector3(steps[0], steps[1], steps[2]) / parts});
      }
    }
  }
  first_.push_back(points_.size());
}

}  // namespace haptic::condensed
