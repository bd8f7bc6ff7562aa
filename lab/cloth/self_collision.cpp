#include "lab/cloth/self_collision.h"

#include <algorithm>
#include <numbers>

#include "rt/worlds/cloth/particle_vectors.h"
#include "shared/assert.h"

namespace haptic::lab {
namespace {

/// Far above the rounding of merged cones, below any angle that matters.
constexpr double kMaxHalfAngle = 0.5 * std::numbers::pi - 1e-6;

}  // namespace

SelfCollision::SelfCollision(const cloth::HierarchyTopology& nodes)
    : nodes_(nodes),
      cones_(nodes),
      contours_(nodes),
      seen_(2 * contours_.longest()),
      skipped_(nodes.size(), 0) {}

bool SelfCollision::cannot_intersect(std::uint32_t node,
                                     std::span<const double> x) HAPTIC_REALTIME {
  const NormalCone& cone = cones_.cone(node);
  const auto contour = contours_.contour(node);
  return cone.half_angle < kMaxHalfAngle && !contour.empty() &&
         is_simple_along(cone.axis, contour, x, seen_);
}

cloth::UpdateResult SelfCollision::update(std::span<const double> x) HAPTIC_REALTIME {
  HAPTIC_ASSERT(x.size() == 3 * nodes_.particle_count());
  std::fill(skipped_.begin(), skipped_.end(), static_cast<unsigned char>(0));
  for (const cloth::TriangleCorners& corners : nodes_.triangles()) {
    for (const std::uint32_t i : corners) {
      if (!cloth::is_bounded(cloth::at(x, i))) return cloth::UpdateResult::kNotFinite;
    }
  }
  cones_.update(x);
  for (std::uint32_t node = 0; node < nodes_.size();) {
    const bool skip = !nodes_.is_leaf(node) && cannot_intersect(node, x);
    if (skip) skipped_[node] = 1;
    node = skip || nodes_.is_leaf(node) ? nodes_.after(node) : nodes_.first_child(node);
  }
  return cloth::UpdateResult::kDone;
}

bool SelfCollision::is_skipped(std::uint32_t node) const HAPTIC_REALTIME {
  for (; node != cloth::HierarchyTopology::kNone; node = nodes_.parent(node)) {
    if (skipped_[node] != 0) return true;
  }
  return false;
}

bool SelfCollision::share_corner(std::uint32_t s, std::uint32_t t) const HAPTIC_REALTIME {
  for (const std::uint32_t i : nodes_.triangles()[s]) {
    for (const std::uint32_t j : nodes_.triangles()[t]) {
      if (i == j) return true;
    }
  }
  return false;
}

}  // namespace haptic::lab
