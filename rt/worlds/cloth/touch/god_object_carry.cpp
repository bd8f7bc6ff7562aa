#include <algorithm>
#include <cmath>

#include "rt/worlds/cloth/touch/first_crossing.h"
#include "rt/worlds/cloth/touch/god_object.h"

namespace haptic::cloth {

namespace {

/// Least weight of a corner where the ball leaves a triangle: it starts inside, not on an edge.
constexpr double kInside = 1e-3;
/// A point that ends this near to a triangle has been met, by the radius.
constexpr double kMet = 1e-3;

/// Axes of a triangle: along the first edge, across it, normal.
Eigen::Matrix3d axes(const Corners& t) HAPTIC_REALTIME {
  const Vector3 normal = t.normal();
  const Vector3 edge = t.b - t.a;
  const double length = edge.norm();
  Eigen::Matrix3d columns;
  columns.col(0) = length > 0.0 ? Vector3(edge / length) : Vector3::Zero();
  columns.col(1) = normal.cross(columns.col(0));
  columns.col(2) = normal;
  return columns;
}

}  // namespace

bool GodObject::touched(std::span<const double> x, std::size_t found,
                        Ride& ride) const HAPTIC_REALTIME {
  double nearest = settings_.radius + 2.0 * skin_, upright = -1.0;
  bool any = false;
  for (std::size_t i = 0; i < found; ++i) {
    if (distance_[i] > nearest + kMet * skin_) continue;
    const Corners triangle = corners(x, triangles_[found_[i]]);
    const ClosestPoint closest = closest_point(triangle, position_);
    const Vector3 away = position_ - closest.point;
    const double height = triangle.normal().dot(away);
    // Of the triangles at an edge, the one that the ball is most above knows its side.
    const bool nearer = distance_[i] < nearest - kMet * skin_;
    if (!nearer && !(std::abs(height) > upright)) continue;
    nearest = std::min(nearest, distance_[i]);
    upright = std::abs(height);
    ride = {found_[i], closest.weights, height < 0.0 ? -1.0 : 1.0,
            axes(triangle).transpose() * away};
    any = true;
  }
  return any;
}

bool GodObject::met(std::span<const double> start, std::span<const double> end, std::size_t found,
                    Ride& ride) const HAPTIC_REALTIME {
  Crossing first;
  bool any = false;
  for (std::size_t i = 0; i < found; ++i) {
    const std::array<std::uint32_t, 3>& t = triangles_[found_[i]];
    Crossing crossing;
    if (!first_crossing(corners(start, t), corners(end, t), position_, position_,
                        kMet * settings_.radius, crossing)) {
      continue;
    }
    if (any && crossing.time >= first.time) continue;
    first = crossing;
    any = true;
    ride = {
        found_[i], crossing.weights, crossing.side, {0.0, 0.0, crossing.side * settings_.radius}};
  }
  return any;
}

double GodObject::free_way(std::span<const double> x, const Ride& ride, const Vector3& from,
                           const Vector3& to) HAPTIC_REALTIME {
  const std::size_t found = find(x, x, from, (to - from).norm());
  double fraction = 1.0;
  for (std::size_t i = 0; i < found; ++i) {
    if (found_[i] == ride.triangle) continue;
    const Corners triangle = corners(x, triangles_[found_[i]]);
    Crossing crossing;
    if (first_crossing(triangle, triangle, from, to, kMet * settings_.radius, crossing)) {
      fraction = std::min(fraction, crossing.time);
    }
  }
  return fraction;
}

TouchResult GodObject::carry(std::span<const double> start,
                             std::span<const double> end) HAPTIC_REALTIME {
  const std::size_t found = find(start, end, position_, 0.0);
  if (!measure(start, found)) return TouchResult::kNotFinite;
  for (std::size_t i = 0; i < found; ++i) {
    const Corners moved = corners(end, triangles_[found_[i]]);
    if (!(moved.a + moved.b + moved.c).allFinite()) return TouchResult::kNotFinite;
  }
  Ride ride;
  if (!touched(start, found, ride) && !met(start, end, found, ride)) return TouchResult::kDone;

  // To the touched point, with it to the end of the step, and away from it again: no other part of
  // a cloth passes through a point of the cloth.
  const Corners triangle = corners(end, triangles_[ride.triangle]);
  const Eigen::Matrix3d frame = axes(triangle);
  Vector3 inner = ride.weights;
  for (double& weight : inner) weight = std::max(weight, kInside);
  inner /= inner.sum();
  const Vector3 surface = triangle.at(inner);
  const Vector3 kept = triangle.at(ride.weights) + frame * ride.offset;
  const Vector3 up = ride.side * frame.col(2);
  if (!kept.allFinite()) return TouchResult::kNotFinite;
  if (up.dot(kept - surface) > 0.0 && free_way(end, ride, surface, kept) == 1.0) {
    position_ = kept;
    return TouchResult::kDone;
  }
  const Vector3 above = surface + settings_.radius * up;
  const double way = free_way(end, ride, surface, above);
  position_ = surface + (way < 1.0 ? 0.5 * way : 1.0) * settings_.radius * up;
  return TouchResult::kDone;
}

}  // namespace haptic::cloth
