#include "rt/worlds/condensed/field_contacts.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "rt/worlds/condensed/spread_ranks.h"

namespace haptic::condensed {

namespace {

/// Distance of the points along an edge, over half of the tool's thickness: an edge may be
/// stretched three times before the tool passes between them.
constexpr double kSpacing = 0.5;
/// Points whose distances differ by less than this fraction of all that occur are equally deep.
constexpr double kEqualDepth = 1.0 / 16.0;
/// A point that is less deep in the tool, over the tool's reach, would not have pressed.
constexpr double kNegligible = 1e-5;
/// A contact on a part of an edge is at a multiple of this fraction, and stays there until the tool
/// meets the edge further away than that: each new place costs the contact's rows.
constexpr double kStep = 1.0 / 64.0;
constexpr double kHop = 2.0 * kStep;
/// A sample that is closer to the meeting than this fraction of the part is no contact of its own:
/// its push would be the normal of one of the two faces at the tool's edge, and the tool would
/// catch on it.
constexpr double kCovered = 1.0 / 16.0;

std::vector<Vector3> points_at_rest(const CondensedSurface& surface,
                                    const SurfaceSamples& samples) {
  std::vector<Vector3> points;
  for (std::uint32_t v = 0; v < surface.vertex_count(); ++v) points.push_back(surface.rest(v));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    points.push_back(rest_position(surface, samples[i]));
  }
  for (std::size_t i = 0; i < samples.edge_part_count(); ++i) {
    const SurfaceSamples::EdgePart& part = samples.edge_part(i);
    const Vector3 middle = 0.5 * (part.weights[0] + part.weights[1]);
    points.push_back(rest_position(surface, {part.triangle, middle}));
  }
  return points;
}

}  // namespace

FieldContacts::FieldContacts(const CondensedModel& model, const CondensedSurface& surface,
                             const SignedField& field)
    : model_(&model),
      surface_(&surface),
      field_(&field),
      samples_(surface, kSpacing * std::max(field.inner_depth(), field.edge())),
      vertex_count_(static_cast<std::uint32_t>(surface.vertex_count())),
      point_count_(vertex_count_ + static_cast<std::uint32_t>(samples_.size())),
      negligible_(kNegligible * field.reach()),
      ranks_(spread_ranks(points_at_rest(surface, samples_))),
      pressed_(ranks_.size(), 0),
      places_(point_count_),
      meetings_(samples_.edge_part_count()),
      met_(samples_.edge_part_count()),
      met_at_(samples_.edge_part_count(), 0.5),
      found_(ranks_.size()) {}

void FieldContacts::reset() HAPTIC_REALTIME {
  std::ranges::fill(met_at_, 0.5);
}

/// Finds the places of the vertices and samples of a list.
void FieldContacts::look_up(const NearSurface& near, const Pose& tool,
                            std::span<const double> u) HAPTIC_REALTIME {
  FieldPoints points{};
  FieldSamples distances;
  std::uint32_t batch[kFieldBatch];
  std::uint32_t count = 0;
  const auto evaluate = [&]() HAPTIC_REALTIME {
    if (count == 0) return;
    field_->evaluate(points, count, Culling::kSafe, distances);
    for (std::uint32_t i = 0; i < count; ++i) places_[batch[i]].distance = distances.distance[i];
    count = 0;
  };
  const auto add = [&](std::uint32_t point, const Vector3& at) HAPTIC_REALTIME {
    const Vector3 p = tool.to_material(at);
    places_[point] = {.at = p};
    points.x[count] = p.x(), points.y[count] = p.y(), points.z[count] = p.z();
    batch[count++] = point;
    if (count == kFieldBatch) evaluate();
  };
  for (const std::uint32_t v : near.vertices()) add(v, surface_->position(v, u));
  for (const std::uint32_t t : near.triangles()) {
    for (std::size_t i = samples_.first(t); i < samples_.first(t + 1); ++i) {
      add(vertex_count_ + static_cast<std::uint32_t>(i), position(*surface_, samples_[i], u));
    }
  }
  evaluate();
}

/// Where the tool meets a part of an edge between its ends, closer than `margin`.
std::optional<EdgeMeeting> FieldContacts::meeting(std::size_t edge_part,
                                                  double margin) const HAPTIC_REALTIME {
  const auto [one, other] = samples_.edge_part(edge_part).ends;
  const Place &a = places_[one], &b = places_[other];
  // No point is nearer to the tool than an end is by more than its way from there.
  if (!(0.5 * (a.distance + b.distance - (b.at - a.at).norm()) < margin)) return std::nullopt;
  return edge_meeting(*field_, a.at, b.at, margin);
}

/// Finds the parts of a list's edges that meet the tool, and the samples that they cover.
void FieldContacts::meet_edges(const NearSurface& near, double margin) HAPTIC_REALTIME {
  met_count_ = 0;
  for (const std::uint32_t t : near.triangles()) {
    for (std::size_t i = samples_.first_edge_part(t); i < samples_.first_edge_part(t + 1); ++i) {
      const std::optional<EdgeMeeting> met = meeting(i, margin);
      if (!met) continue;
      meetings_[i] = *met;
      met_[met_count_++] = static_cast<std::uint32_t>(i);
      const auto [one, other] = samples_.edge_part(i).ends;
      if (met->along < kCovered) places_[one].covered = true;
      if (met->along > 1.0 - kCovered) places_[other].covered = true;
    }
  }
}

/// Calls visit(point, gap [m]) for the vertices and samples of a list, and for the parts of its
/// edges that meet the tool with less than `margin` between them.
template <class Visit>
void FieldContacts::for_each(const NearSurface& near, const Pose& tool, std::span<const double> u,
                             double margin, Visit visit) HAPTIC_REALTIME {
  look_up(near, tool, u);
  meet_edges(near, margin);
  for (const std::uint32_t v : near.vertices()) visit(v, places_[v].distance);
  for (const std::uint32_t t : near.triangles()) {
    for (std::size_t i = samples_.first(t); i < samples_.first(t + 1); ++i) {
      const auto point = vertex_count_ + static_cast<std::uint32_t>(i);
      if (!places_[point].covered) visit(point, places_[point].distance);
    }
  }
  for (std::size_t i = 0; i < met_count_; ++i) {
    visit(point_count_ + met_[i], meetings_[met_[i]].gap);
  }
}

double FieldContacts::clearance(const NearSurface& near, const Pose& tool,
                                std::span<const double> u, double most) HAPTIC_REALTIME {
  double nearest = most;
  for_each(near, tool, u, most, [&](std::uint32_t, double distance) HAPTIC_REALTIME {
    nearest = std::min(nearest, distance);
  });
  return std::max(0.0, nearest);
}

std::size_t FieldContacts::collect(const NearSurface& near, const Pose& tool,
                                   std::span<const double> u, double margin,
                                   std::span<const std::uint32_t> pressing,
                                   std::span<CondensedContact> contacts) HAPTIC_REALTIME {
  std::size_t found = 0;
  for_each(near, tool, u, margin, [&](std::uint32_t point, double distance) HAPTIC_REALTIME {
    if (distance < margin) found_[found++] = {distance, point, 0};
  });
  found = keep(found, margin, pressing, contacts.size());
  for (std::size_t i = 0; i < found; ++i) {
    if (found_[i].point >= point_count_) {
      double& at = met_at_[found_[i].point - point_count_];
      const double along = meetings_[found_[i].point - point_count_].along;
      if (std::abs(along - at) > kHop) {
        at = std::clamp(kStep * std::round(along / kStep), kStep, 1.0 - kStep);
      }
    }
    fill(contacts[i], found_[i], tool, u);
  }
  return found;
}

/// Of a sample, or of the place where a part of an edge meets the tool.
SurfacePoint FieldContacts::surface_point(std::uint32_t point) const HAPTIC_REALTIME {
  if (point < point_count_) return samples_[point - vertex_count_];
  const std::size_t i = point - point_count_;
  const SurfaceSamples::EdgePart& part = samples_.edge_part(i);
  return {part.triangle, (1.0 - met_at_[i]) * part.weights[0] + met_at_[i] * part.weights[1]};
}

void FieldContacts::fill(CondensedContact& contact, const Near& near, const Pose& tool,
                         std::span<const double> u) const HAPTIC_REALTIME {
  contact.key = near.point;
  contact.gap = near.distance;
  Vector3 rest = Vector3::Zero(), push = Vector3::Zero();  // the push in axes of the tool
  if (near.point < vertex_count_) {
    contact.row = row_of_vertex(*model_, near.point);
    contact.point = surface_->position(near.point, u);
    rest = surface_->rest(near.point);
  } else {
    const SurfacePoint at = surface_point(near.point);
    contact.row =
        row_in_triangle(*model_, at.triangle, std::span<const double, 3>(at.weights.data(), 3));
    contact.point = position(*surface_, at, u);
    rest = rest_position(*surface_, at);
  }
  if (near.point >= point_count_) {
    push = meetings_[near.point - point_count_].push;
  } else {
    push = field_->distance_and_gradient(places_[near.point].at).gradient;
  }
  const double steepness = push.norm();
  contact.push =
      steepness > 0.0 ? Vector3(tool.orientation * (push / steepness)) : Vector3(Vector3::UnitZ());
  contact.target = contact.point - rest - contact.gap * contact.push;
}

/// Moves the points that fit to the front of found_, ascending. @returns how many they are
std::size_t FieldContacts::keep(std::size_t found, double margin,
                                std::span<const std::uint32_t> pressing,
                                std::size_t capacity) HAPTIC_REALTIME {
  const auto begin = found_.begin(), end = begin + static_cast<std::ptrdiff_t>(found);
  const std::size_t fitting = std::min(found, capacity);
  const auto kept = begin + static_cast<std::ptrdiff_t>(fitting);
  dropped_ = found - fitting;
  dropped_depth_ = 0.0;
  if (dropped_ > 0) {
    double least = margin;
    for (auto point = begin; point != end; ++point) least = std::min(least, point->distance);
    const double step = kEqualDepth * (margin - least);
    for (const std::uint32_t p : pressing) pressed_[p] = 1;
    for (auto point = begin; point != end; ++point) {
      const double depth = step > 0.0 ? (point->distance - least) / step : 0.0;
      const std::uint64_t level =
          pressed_[point->point] ? 0 : 1 + static_cast<std::uint64_t>(depth);
      point->priority = (level << 32U) + ranks_[point->point];
    }
    for (const std::uint32_t p : pressing) pressed_[p] = 0;
    std::nth_element(begin, kept, end,
                     [](const Near& a, const Near& b) { return a.priority < b.priority; });
    for (auto point = kept; point != end; ++point) {
      if (-point->distance < negligible_) continue;
      dropped_depth_ = std::max(dropped_depth_, -point->distance);
    }
  }
  std::sort(begin, kept, [](const Near& a, const Near& b) { return a.point < b.point; });
  return fitting;
}

}  // namespace haptic::condensed
