#include "rt/worlds/cloth/touch/near_triangles.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "rt/worlds/cloth/particle_vectors.h"

namespace haptic::cloth {

bool may_meet(const Corners& start, const Corners& end, const TouchBox& box) HAPTIC_REALTIME {
  // The minimum of a number and NaN may be the number.
  if (!(start.a + start.b + start.c + end.a + end.b + end.c).allFinite()) return true;
  for (Eigen::Index k = 0; k < 3; ++k) {
    const double corners[] = {start.a[k], start.b[k], start.c[k], end.a[k], end.b[k], end.c[k]};
    const auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
    if (*low > box.high[k] || *high < box.low[k]) return false;
  }
  return true;
}

ScannedTriangles::ScannedTriangles(std::vector<std::array<std::uint32_t, 3>> triangles)
    : triangles_(std::move(triangles)) {}

std::size_t ScannedTriangles::near(std::span<const double> start, std::span<const double> end,
                                   const TouchBox& box,
                                   std::span<std::uint32_t> found) const HAPTIC_REALTIME {
  std::size_t count = 0;
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
    if (!may_meet(corners(start, triangles_[t]), corners(end, triangles_[t]), box)) continue;
    if (count == found.size()) break;
    found[count++] = t;
  }
  return count;
}

Corners corners(std::span<const double> x,
                const std::array<std::uint32_t, 3>& triangle) HAPTIC_REALTIME {
  return {at(x, triangle[0]), at(x, triangle[1]), at(x, triangle[2])};
}

}  // namespace haptic::cloth
