#include "rt/worlds/cloth/touch/god_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "shared/error.h"

namespace haptic::cloth {

namespace {

/// Skin, by the radius.
constexpr double kSkin = 1e-3;
/// By the skin: what counts as rounding, and a move that is not worth another.
constexpr double kStill = 1e-3, kArrived = 1e-2;
/// Planes of neighbours that agree to this are one.
constexpr double kSamePlane = 1e-12;

bool same_plane(const HalfSpace& a, const HalfSpace& b) HAPTIC_REALTIME {
  return (a.normal - b.normal).squaredNorm() < kSamePlane * kSamePlane &&
         std::abs(a.offset - b.offset) < kSamePlane;
}

bool is_inside(const Vector3& weights) HAPTIC_REALTIME {
  return weights[0] > 0.0 && weights[1] > 0.0 && weights[2] > 0.0;
}

}  // namespace

GodObject::GodObject(std::vector<std::array<std::uint32_t, 3>> triangles, const NearTriangles& near,
                     const GodObjectSettings& settings)
    : triangles_(std::move(triangles)),
      near_(near),
      settings_(settings),
      skin_(kSkin * settings.radius),
      found_(triangles_.size()),
      distance_(triangles_.size()) {
  if (!std::isfinite(settings.radius) || settings.radius <= 0.0) {
    throw InputError("", "radius", fmt::format("{}", settings.radius), "a number > 0");
  }
  if (!std::isfinite(settings.friction) || settings.friction < 0.0) {
    throw InputError("", "friction", fmt::format("{}", settings.friction), "a number >= 0");
  }
}

std::size_t GodObject::find(std::span<const double> start, std::span<const double> end,
                            const Vector3& p, double reach) HAPTIC_REALTIME {
  const Vector3 margin = Vector3::Constant(reach + 4.0 * (settings_.radius + skin_));
  return near_.near(start, end, {p - margin, p + margin}, found_);
}

bool GodObject::measure(std::span<const double> x, std::size_t found) HAPTIC_REALTIME {
  radius_now_ = settings_.radius;
  for (std::size_t i = 0; i < found; ++i) {
    const ClosestPoint closest = closest_point(corners(x, triangles_[found_[i]]), position_);
    distance_[i] = (position_ - closest.point).norm();
    if (!std::isfinite(distance_[i])) return false;
    radius_now_ = std::min(radius_now_, distance_[i]);
  }
  return true;
}

double GodObject::clearance(std::span<const double> x, double most) HAPTIC_REALTIME {
  const std::size_t found = find(x, x, position_, most);
  if (!measure(x, found)) return 0.0;
  double nearest = most + settings_.radius;
  for (std::size_t i = 0; i < found; ++i) nearest = std::min(nearest, distance_[i]);
  return std::max(0.0, nearest - settings_.radius);
}

bool GodObject::behind_a_face(std::span<const TouchContact> touched, std::size_t i,
                              std::span<const double> distance) const HAPTIC_REALTIME {
  const std::array<std::uint32_t, 3>& t = triangles_[touched[i].triangle];
  for (std::size_t j = 0; j < touched.size(); ++j) {
    if (!(distance[j] < distance[i] - kStill * kStill * skin_)) continue;
    const std::array<std::uint32_t, 3>& other = triangles_[touched[j].triangle];
    bool shared = true;
    for (std::size_t k = 0; k < 3 && shared; ++k) {
      if (touched[i].weights[static_cast<Eigen::Index>(k)] == 0.0) continue;
      shared = t[k] == other[0] || t[k] == other[1] || t[k] == other[2];
    }
    if (shared) return true;
  }
  return false;
}

void GodObject::collect_planes(std::span<const double> x, std::size_t found) HAPTIC_REALTIME {
  std::array<TouchContact, kMaxTouched> touched;
  std::array<double, kMaxTouched> distance;
  std::size_t count = 0;
  for (std::size_t i = 0; i < found && count < kMaxTouched; ++i) {
    if (distance_[i] > settings_.radius + skin_) continue;
    distance[count] = distance_[i];
    touched[count].triangle = found_[i];
    touched[count++].weights = closest_point(corners(x, triangles_[found_[i]]), position_).weights;
  }
  plane_count_ = 0;
  for (std::size_t i = 0; i < count && plane_count_ < kMaxPlanes; ++i) {
    const Corners triangle = corners(x, triangles_[touched[i].triangle]);
    const Vector3 closest = triangle.at(touched[i].weights), away = position_ - closest;
    const double gap = std::min(settings_.radius, distance[i]);
    // Above the face, its plane; beside an edge or a corner, the tangent plane of the ball, unless
    // the edge is that of a neighbour whose face the ball is above.
    const Vector3 face = triangle.normal();
    const double height = face.dot(away);
    Vector3& normal = touched[i].normal;
    if (std::abs(height) >= gap - kStill * skin_) {
      normal = std::copysign(1.0, height) * face;
    } else if (behind_a_face({touched.data(), count}, i, {distance.data(), count})) {
      continue;
    } else {
      normal = away / distance[i];
    }
    const HalfSpace plane{normal, normal.dot(closest)};
    std::size_t same = 0;
    while (same < plane_count_ && !same_plane(planes_[same], plane)) ++same;
    if (same == plane_count_) {
      planes_[plane_count_] = plane;
      gap_[plane_count_] = gap;
      touching_[plane_count_++] = touched[i];
    } else if (gap < gap_[same] || is_inside(touched[i].weights)) {
      // The contact of a plane is the triangle that the ball is above.
      gap_[same] = std::min(gap_[same], gap);
      touching_[same] = touched[i];
    }
  }
}

Vector3 GodObject::goal(const Vector3& device, NearestPoint& held) HAPTIC_REALTIME {
  std::array<HalfSpace, kMaxPlanes> raised;
  const double tolerance = kStill * skin_;
  const double reach = (position_ - device).norm() + 2.0 * settings_.radius;
  // A radius above each plane; between sheets that leave no room for that, where the ball is now.
  for (const bool whole : {true, false}) {
    for (std::size_t k = 0; k < plane_count_; ++k) {
      raised[k] = planes_[k];
      raised[k].offset += whole ? settings_.radius : gap_[k];
    }
    if (nearest_point({raised.data(), plane_count_}, device, tolerance, held) &&
        (held.point - device).norm() <= reach) {
      return held.point;
    }
  }
  held = {};
  return position_;
}

void GodObject::keep_contacts(const NearestPoint& held) HAPTIC_REALTIME {
  contact_count_ = held.count;
  for (std::size_t i = 0; i < held.count; ++i) {
    contacts_[i] = touching_[held.active[i]];
    contacts_[i].share = -held.lambda[i];
  }
}

bool GodObject::place(const Vector3& p, std::span<const double> x) HAPTIC_REALTIME {
  const Vector3 before = position_;
  position_ = p;
  if (!p.allFinite() || !measure(x, find(x, x, p, 0.0)) || radius_now_ < settings_.radius) {
    position_ = before;
    return false;
  }
  contact_count_ = 0;
  return true;
}

TouchResult GodObject::move_to(const Vector3& device, std::span<const double> x) HAPTIC_REALTIME {
  if (!device.allFinite()) return TouchResult::kNotFinite;
  // No move leads away from the device, so all of them are in this box.
  const std::size_t found = find(x, x, device, (position_ - device).norm());
  for (int move = 0; move < kMoves; ++move) {
    if (!measure(x, found)) return TouchResult::kNotFinite;
    collect_planes(x, found);
    NearestPoint held;
    Vector3 to = goal(device, held);
    keep_contacts(held);
    double way = (to - position_).norm();
    if (held.count > 0 && way > 0.0) {
      // Friction: the ball lags behind by at most its coefficient times the depth.
      const double lag = settings_.friction * (to - device).norm();
      to = position_ + std::max(0.0, 1.0 - lag / way) * (to - position_);
      way = (to - position_).norm();
    }
    if (way <= kArrived * skin_) return TouchResult::kDone;
    double fraction = 1.0;
    for (std::size_t i = 0; i < found; ++i) {
      if (distance_[i] > way + settings_.radius + skin_) continue;
      const Corners triangle = corners(x, triangles_[found_[i]]);
      fraction = std::min(fraction, free_fraction(triangle, position_, to, radius_now_, skin_));
    }
    position_ += fraction * (to - position_);
  }
  return TouchResult::kUnfinished;
}

}  // namespace haptic::cloth
