#include <algorithm>
#include <cmath>

#include "rt/worlds/cloth/touch/god_object.h"

namespace haptic::cloth {

namespace {

bool share_corner(const std::array<std::uint32_t, 3>& a,
                  const std::array<std::uint32_t, 3>& b) HAPTIC_REALTIME {
  return std::ranges::any_of(
      a, [&](std::uint32_t i) HAPTIC_REALTIME { return i == b[0] || i == b[1] || i == b[2]; });
}

}  // namespace

std::size_t GodObject::neighbours(std::span<const double> x, double reach,
                                  std::span<NearPlane> planes) HAPTIC_REALTIME {
  std::size_t count = 0;
  const std::size_t found = find(x, x, position_, reach);
  for (std::size_t k = 0; k < found; ++k) {
    const TouchContact* beside = nullptr;
    bool holds = false;
    for (const TouchContact& contact : contacts()) {
      holds = holds || contact.triangle == found_[k];
      if (share_corner(triangles_[contact.triangle], triangles_[found_[k]])) beside = &contact;
    }
    if (holds || beside == nullptr) continue;
    const Corners triangle = corners(x, triangles_[found_[k]]);
    const ClosestPoint closest = closest_point(triangle, position_);
    const Vector3 away = position_ - closest.point;
    const double distance = away.norm();
    if (!(distance <= settings_.radius + reach)) continue;
    // The side of the neighbour on which the ball is: triangles of a mesh face the same way.
    const double side = corners(x, triangles_[beside->triangle]).normal().dot(beside->normal);
    const Vector3 normal = std::copysign(1.0, side) * triangle.normal();
    const double height = normal.dot(away);
    // A ball that friction holds is nearer than its radius to what the cloth has moved under it.
    if (height < std::min(settings_.radius, distance) - skin_) continue;
    const NearPlane plane{found_[k], closest.weights, normal,
                          std::max(0.0, height - settings_.radius)};
    if (count < planes.size()) {
      planes[count++] = plane;
    } else if (const auto furthest = std::ranges::max_element(planes, {}, &NearPlane::gap);
               furthest != planes.end() && plane.gap < furthest->gap) {
      *furthest = plane;
    }
  }
  return count;
}

}  // namespace haptic::cloth
