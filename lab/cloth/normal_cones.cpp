#include "lab/cloth/normal_cones.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rt/worlds/cloth/particle_vectors.h"

namespace haptic::lab {
namespace {

NormalCone all_directions(const Vector3& axis) HAPTIC_REALTIME {
  return {axis, std::numbers::pi};
}

}  // namespace

NormalCone normal_cone(const Vector3& a, const Vector3& b, const Vector3& c) HAPTIC_REALTIME {
  const Vector3 normal = (b - a).cross(c - a);
  const double area = std::sqrt(normal.squaredNorm());
  const double longest =
      std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  if (!(area > 1e-12 * longest) || !std::isfinite(area)) return all_directions(Vector3::UnitZ());
  return {normal / area, 0.0};
}

NormalCone merged(const NormalCone& a, const NormalCone& b) HAPTIC_REALTIME {
  const double sine = std::sqrt(a.axis.cross(b.axis).squaredNorm());
  const double between = std::atan2(sine, a.axis.dot(b.axis));
  if (between + b.half_angle <= a.half_angle) return a;
  if (between + a.half_angle <= b.half_angle) return b;
  const double half = 0.5 * (between + a.half_angle + b.half_angle);
  if (half >= 0.5 * std::numbers::pi) return all_directions(a.axis);
  // From a's axis towards b's; sine > 0, since equal axes are one within the other.
  const double turn = half - a.half_angle;
  const Vector3 axis = std::sin(between - turn) * a.axis + std::sin(turn) * b.axis;
  const double length = std::sqrt(axis.squaredNorm());
  if (!(length > 0.0)) return all_directions(a.axis);
  return {axis / length, half};
}

NormalCones::NormalCones(const cloth::HierarchyTopology& nodes)
    : nodes_(nodes), cones_(nodes.size()) {}

void NormalCones::update(std::span<const double> x) HAPTIC_REALTIME {
  for (std::uint32_t node = nodes_.size(); node-- > 0;) {
    if (nodes_.is_leaf(node)) {
      const auto& [i, j, k] = nodes_.triangles()[nodes_.triangle(node)];
      cones_[node] = normal_cone(cloth::at(x, i), cloth::at(x, j), cloth::at(x, k));
      continue;
    }
    const std::uint32_t first = nodes_.first_child(node);
    NormalCone cone = cones_[first];
    for (std::uint32_t k = 1; k < nodes_.child_count(node); ++k) {
      cone = merged(cone, cones_[first + k]);
    }
    cones_[node] = cone;
  }
}

}  // namespace haptic::lab
