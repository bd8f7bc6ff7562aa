#include "rt/worlds/condensed/stylus_contacts.h"

#include <algorithm>

#include "rt/geometry/triangle_distance.h"

namespace haptic::condensed {

namespace {

/// A point that starts a step this far inside, in longest edges of the surface, counts as outside:
/// a point that has just lost its contact is on the surface within the rounding of the solution.
constexpr double kInside = 1e-7;
/// Weight of a corner up to which a point is on the edge across from it.
constexpr double kOnEdge = 1e-9;
/// Steepness of a dent that counts as vertical.
constexpr double kSteepest = 1.0;
/// Bounds of the part of its way that a sliding contact takes: the least, and its growth in a step.
constexpr double kMinFraction = 0.02, kGrowth = 1.05;

bool apart(const MovingTriangle& t, const Vector3& from, const Vector3& to,
           double margin) HAPTIC_REALTIME {
  for (Eigen::Index k = 0; k < 3; ++k) {
    const double low = std::min(
        {t.start[0][k], t.start[1][k], t.start[2][k], t.end[0][k], t.end[1][k], t.end[2][k]});
    const double high = std::max(
        {t.start[0][k], t.start[1][k], t.start[2][k], t.end[0][k], t.end[1][k], t.end[2][k]});
    if (std::max(from[k], to[k]) < low - margin || std::min(from[k], to[k]) > high + margin) {
      return true;
    }
  }
  return false;
}

}  // namespace

StylusContacts::StylusContacts(const CondensedModel& model, const CondensedSurface& surface,
                               std::span<const Vector3> points)
    : model_(&model),
      surface_(&surface),
      tolerance_(kInside * surface.longest_edge()),
      from_(surface.vertex_count(), Vector3::Zero()),
      to_(surface.vertex_count(), Vector3::Zero()) {
  for (const Vector3& p : points) {
    points_.push_back({.local = p, .at = {}});
    reach_ = std::max(reach_, p.norm());
  }
}

void StylusContacts::locate(const NearSurface& near, const Motion& motion) HAPTIC_REALTIME {
  for (const std::uint32_t v : near.vertices()) {
    from_[v] = surface_->position(v, motion.u_from);
    to_[v] = surface_->position(v, motion.u_to);
  }
}

void StylusContacts::meet(const NearSurface& near, const Motion& motion) HAPTIC_REALTIME {
  if (touching() == points_.size() || near.triangles().empty()) return;
  locate(near, motion);
  for (Point& point : points_) {
    if (point.touches) continue;
    const Vector3 from = motion.from.to_world(point.local), to = motion.to.to_world(point.local);
    double earliest = 2.0;
    for (const std::uint32_t t : near.triangles()) {
      const auto v = surface_->corners(t);
      const MovingTriangle triangle = {{from_[v[0]], from_[v[1]], from_[v[2]]},
                                       {to_[v[0]], to_[v[1]], to_[v[2]]}};
      Meeting meeting;
      if (apart(triangle, from, to, tolerance_) ||
          !first_meeting(triangle, from, to, tolerance_, meeting) || meeting.time >= earliest) {
        continue;
      }
      earliest = meeting.time;
      point.touches = true;
      point.at = {t, meeting.weights};
      point.way.setZero();
      point.share = 1.0;
    }
  }
}

double StylusContacts::clearance(const NearSurface& near, const Pose& tool,
                                 std::span<const double> u, double most) const HAPTIC_REALTIME {
  if (touching() > 0) return 0.0;
  double nearest = most;
  for (const std::uint32_t t : near.triangles()) {
    const auto v = surface_->corners(t);
    const Corners triangle{surface_->position(v[0], u), surface_->position(v[1], u),
                           surface_->position(v[2], u)};
    for (const Point& point : points_) {
      const Vector3 p = tool.to_world(point.local);
      nearest = std::min(nearest, (p - closest_point(triangle, p).point).norm());
    }
  }
  return nearest;
}

std::size_t StylusContacts::collect(const Pose& tool, const Shape& body,
                                    std::span<CondensedContact> contacts) const HAPTIC_REALTIME {
  std::size_t count = 0;
  for (std::size_t i = 0; i < points_.size() && count < contacts.size(); ++i) {
    const Point& point = points_[i];
    if (!point.touches) continue;
    const auto v = surface_->corners(point.at.triangle);
    CondensedContact& contact = contacts[count++];
    contact.key = first_key() + static_cast<std::uint32_t>(i);
    contact.row = row_in_triangle(*model_, point.at.triangle,
                                  std::span<const double, 3>(point.at.weights.data(), 3));
    contact.push = -surface_->smooth_normal(point.at.triangle, point.at.weights, body.smooth);
    contact.point = tool.to_world(point.local);
    Vector3 rest = Vector3::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      rest += point.at.weights[static_cast<Eigen::Index>(k)] * surface_->rest(v[k]);
    }
    contact.target = contact.point - rest;
    contact.least_friction = steepness(point.at.triangle, body);
    contact.gap = contact.push.dot(position(*surface_, point.at, body.u) - contact.point);
  }
  return count;
}

/// Slope of a triangle of the displayed shape against the same one of the smooth shape: the tangent
/// of the angle between them.
double StylusContacts::steepness(std::uint32_t triangle, const Shape& body) const HAPTIC_REALTIME {
  const Vector3 displayed = surface_->area_normal(triangle, body.u);
  const Vector3 smooth = surface_->area_normal(triangle, body.smooth);
  const double across = displayed.cross(smooth).norm(), along = displayed.dot(smooth);
  return across < kSteepest * along ? across / along : kSteepest;
}

/// Part of the way that a sliding contact takes. The dent moves with the contact and takes the new
/// material point aside, far from the middle of a face by more than the way: the contact would step
/// to and fro. Aitken's relaxation finds the part for which the next way is zero.
double StylusContacts::share_of_way(const Point& point, const Vector3& way) HAPTIC_REALTIME {
  const double last = point.way.squaredNorm();
  if (!(last > 0.0)) return point.share;
  const double ratio = way.dot(point.way) / last;
  return ratio < 0.0 ? std::max(point.share / (1.0 - ratio), kMinFraction)
                     : std::min(kGrowth * point.share, 1.0);
}

/// Moves a material point by a way along the smooth shape.
SurfacePoint StylusContacts::slid(const SurfacePoint& at, const Vector3& way,
                                  std::span<const double> smooth) const HAPTIC_REALTIME {
  const Vector3 aim = position(*surface_, at, smooth) + way;
  SurfacePoint to = walked(*surface_, at, aim, smooth);
  // Beyond an edge of the body, the edge is nearest; the face there is the one to leave from.
  const Vector3 left = aim - position(*surface_, to, smooth);
  double furthest = tolerance_;
  std::uint32_t beyond = CondensedSurface::kNone;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::uint32_t next = surface_->across(to.triangle, k);
    if (to.weights[static_cast<Eigen::Index>(k)] > kOnEdge || next == CondensedSurface::kNone ||
        !surface_->creased(to.triangle, next)) {
      continue;
    }
    const Vector3 area = surface_->area_normal(next, smooth);
    const double outside = left.dot(area) / area.norm();
    if (!(outside > furthest)) continue;
    furthest = outside;
    beyond = next;
  }
  if (beyond == CondensedSurface::kNone) return to;
  const auto v = surface_->corners(beyond);
  return {beyond,
          nearest_weights(position(*surface_, to, smooth), surface_->position(v[0], smooth),
                          surface_->position(v[1], smooth), surface_->position(v[2], smooth))};
}

void StylusContacts::follow(const Outcome& outcome, const Pose& tool,
                            const Shape& body) HAPTIC_REALTIME {
  if (outcome.key < first_key()) return;
  Point& point = points_[outcome.key - first_key()];
  if (outcome.presses && !outcome.slides) return;
  const Vector3 way = tool.to_world(point.local) - position(*surface_, point.at, body.u);
  if (outcome.presses) {
    point.share = share_of_way(point, way);
    point.way = way;
    point.at = slid(point.at, point.share * way, body.smooth);
    return;
  }
  const Vector3 outward = surface_->smooth_normal(point.at.triangle, point.at.weights, body.smooth);
  point.touches = outward.dot(way) < -tolerance_;
}

void StylusContacts::clear() HAPTIC_REALTIME {
  for (Point& point : points_) point.touches = false;
}

std::size_t StylusContacts::touching() const HAPTIC_REALTIME {
  return static_cast<std::size_t>(std::ranges::count(points_, true, &Point::touches));
}

}  // namespace haptic::condensed
