#include "rt/worlds/condensed/stylus_contacts.h"

#include <algorithm>

namespace haptic {

namespace {

/// A point that starts a step this far inside, in longest edges of the surface, counts as outside:
/// a point that has just lost its contact is on the surface within the rounding of the solution.
constexpr double kInside = 1e-7;

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
    }
  }
}

std::size_t StylusContacts::collect(const Pose& tool, std::span<const double> u,
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
    contact.push = -surface_->smooth_normal(point.at.triangle, point.at.weights, u);
    contact.point = tool.to_world(point.local);
    Vector3 rest = Vector3::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      rest += point.at.weights[static_cast<Eigen::Index>(k)] * surface_->rest(v[k]);
    }
    contact.target = contact.point - rest;
    contact.gap = contact.push.dot(position(*surface_, point.at, u) - contact.point);
  }
  return count;
}

void StylusContacts::follow(const Outcome& outcome, const Pose& tool,
                            std::span<const double> u) HAPTIC_REALTIME {
  if (outcome.key < first_key()) return;
  Point& point = points_[outcome.key - first_key()];
  const Vector3 p = tool.to_world(point.local);
  if (outcome.presses && !outcome.slides) return;
  point.at = walked(*surface_, point.at, p, u);
  if (outcome.presses) return;
  const Vector3 area = surface_->area_normal(point.at.triangle, u);
  const double height = area.dot(p - position(*surface_, point.at, u));
  point.touches = height < -tolerance_ * area.norm();
}

void StylusContacts::clear() HAPTIC_REALTIME {
  for (Point& point : points_) point.touches = false;
}

std::size_t StylusContacts::touching() const HAPTIC_REALTIME {
  return static_cast<std::size_t>(std::ranges::count(points_, true, &Point::touches));
}

}  // namespace haptic
