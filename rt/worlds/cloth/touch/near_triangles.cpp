#include "rt/worlds/cloth/touch/near_triangles.h"

#include <utility>

#include "rt/worlds/cloth/particle_vectors.h"

namespace haptic {

ScannedTriangles::ScannedTriangles(std::vector<std::array<std::uint32_t, 3>> triangles)
    : triangles_(std::move(triangles)) {}

std::size_t ScannedTriangles::near(std::span<const double> start, std::span<const double> end,
                                   const TouchBox& box,
                                   std::span<std::uint32_t> found) const HAPTIC_REALTIME {
  std::size_t count = 0;
  for (std::uint32_t t = 0; t < triangles_.size(); ++t) {
    const Corners s = corners(start, triangles_[t]), e = corners(end, triangles_[t]);
    const Vector3 low = s.a.cwiseMin(s.b).cwiseMin(s.c).cwiseMin(e.a).cwiseMin(e.b).cwiseMin(e.c);
    const Vector3 high = s.a.cwiseMax(s.b).cwiseMax(s.c).cwiseMax(e.a).cwiseMax(e.b).cwiseMax(e.c);
    const bool apart =
        (low.array() > box.high.array()).any() || (high.array() < box.low.array()).any();
    // The minimum of a number and NaN may be the number.
    if (apart && (s.a + s.b + s.c + e.a + e.b + e.c).allFinite()) continue;
    if (count == found.size()) break;
    found[count++] = t;
  }
  return count;
}

Corners corners(std::span<const double> x,
                const std::array<std::uint32_t, 3>& triangle) HAPTIC_REALTIME {
  return {at(x, triangle[0]), at(x, triangle[1]), at(x, triangle[2])};
}

}  // namespace haptic
