#include "rt/worlds/condensed/near_surface.h"

#include <algorithm>
#include <cmath>

namespace haptic {

namespace {

/// Displacement of the node that has moved furthest [m].
double furthest(std::span<const double> from, std::span<const double> to) HAPTIC_REALTIME {
  double squared = 0.0;
  for (std::size_t i = 0; i + 2 < to.size(); i += 3) {
    const double x = to[i] - from[i], y = to[i + 1] - from[i + 1], z = to[i + 2] - from[i + 2];
    squared = std::max(squared, x * x + y * y + z * z);
  }
  return std::sqrt(squared);
}

}  // namespace

NearSurface::NearSurface(const CondensedSurface& surface, std::size_t dof)
    : surface_(&surface),
      u_(dof, 0.0),
      positions_(surface.vertex_count(), Vector3::Zero()),
      is_near_(surface.vertex_count(), 0),
      vertices_(surface.vertex_count()),
      triangles_(surface.triangle_count()) {}

void NearSurface::update(const Vector3& centre, double radius,
                         std::span<const double> u) HAPTIC_REALTIME {
  if (listed_ && holds(centre, radius, u)) return;
  centre_ = centre;
  radius_ = radius;
  margin_ = std::max(0.5 * surface_->longest_edge(), 0.25 * radius);
  std::copy(u.begin(), u.end(), u_.begin());
  for (std::uint32_t v = 0; v < positions_.size(); ++v) positions_[v] = surface_->position(v, u);
  list(radius + margin_);
  listed_ = true;
}

bool NearSurface::holds(const Vector3& centre, double radius,
                        std::span<const double> u) const HAPTIC_REALTIME {
  const double grown = std::max(0.0, radius - radius_);
  return (centre - centre_).norm() + grown + furthest(u_, u) <= margin_;
}

void NearSurface::list(double reach) HAPTIC_REALTIME {
  for (std::size_t v = 0; v < positions_.size(); ++v) {
    is_near_[v] = (positions_[v] - centre_).squaredNorm() <= reach * reach ? 1 : 0;
  }
  triangle_count_ = 0;
  for (std::uint32_t t = 0; t < surface_->triangle_count(); ++t) {
    const auto v = surface_->corners(t);
    const Vector3 &a = positions_[v[0]], &b = positions_[v[1]], &c = positions_[v[2]];
    const Vector3 nearest = nearest_weights(centre_, a, b, c);
    const Vector3 point = nearest[0] * a + nearest[1] * b + nearest[2] * c;
    if ((point - centre_).squaredNorm() > reach * reach) continue;
    triangles_[triangle_count_++] = t;
    for (const std::uint32_t corner : v) is_near_[corner] = 1;
  }
  vertex_count_ = 0;
  for (std::uint32_t v = 0; v < positions_.size(); ++v) {
    if (is_near_[v] != 0) vertices_[vertex_count_++] = v;
  }
}

}  // namespace haptic
