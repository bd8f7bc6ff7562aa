#include "rt/worlds/condensed/field_contacts.h"

#include <algorithm>

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

std::vector<Vector3> points_at_rest(const CondensedSurface& surface,
                                    const SurfaceSamples& samples) {
  std::vector<Vector3> points;
  for (std::uint32_t v = 0; v < surface.vertex_count(); ++v) points.push_back(surface.rest(v));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    points.push_back(rest_position(surface, samples[i]));
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
      negligible_(kNegligible * field.reach()),
      ranks_(spread_ranks(points_at_rest(surface, samples_))),
      pressed_(ranks_.size(), 0),
      found_(ranks_.size()) {}

/// Calls visit(point, distance [m]) for the vertices and samples of a list.
template <class Visit>
void FieldContacts::for_each(const NearSurface& near, const Pose& tool, std::span<const double> u,
                             Visit visit) const HAPTIC_REALTIME {
  const auto vertex_count = static_cast<std::uint32_t>(surface_->vertex_count());
  FieldPoints points{};
  FieldSamples distances;
  std::uint32_t batch[kFieldBatch];
  std::uint32_t count = 0;
  const auto look_up = [&]() HAPTIC_REALTIME {
    if (count == 0) return;
    field_->evaluate(points, count, Culling::kSafe, distances);
    for (std::uint32_t i = 0; i < count; ++i) visit(batch[i], distances.distance[i]);
    count = 0;
  };
  const auto add = [&](std::uint32_t point, const Vector3& at) HAPTIC_REALTIME {
    const Vector3 p = tool.to_material(at);
    points.x[count] = p.x(), points.y[count] = p.y(), points.z[count] = p.z();
    batch[count++] = point;
    if (count == kFieldBatch) look_up();
  };
  for (const std::uint32_t v : near.vertices()) add(v, surface_->position(v, u));
  for (const std::uint32_t t : near.triangles()) {
    for (std::size_t i = samples_.first(t); i < samples_.first(t + 1); ++i) {
      add(vertex_count + static_cast<std::uint32_t>(i), position(*surface_, samples_[i], u));
    }
  }
  look_up();
}

double FieldContacts::clearance(const NearSurface& near, const Pose& tool,
                                std::span<const double> u, double most) const HAPTIC_REALTIME {
  double nearest = most;
  for_each(near, tool, u, [&](std::uint32_t, double distance) HAPTIC_REALTIME {
    nearest = std::min(nearest, distance);
  });
  return std::max(0.0, nearest);
}

std::size_t FieldContacts::collect(const NearSurface& near, const Pose& tool,
                                   std::span<const double> u, double margin,
                                   std::span<const std::uint32_t> pressing,
                                   std::span<CondensedContact> contacts) HAPTIC_REALTIME {
  const auto vertex_count = static_cast<std::uint32_t>(surface_->vertex_count());
  std::size_t found = 0;
  for_each(near, tool, u, [&](std::uint32_t point, double distance) HAPTIC_REALTIME {
    if (distance < margin) found_[found++] = {distance, point, 0};
  });
  found = keep(found, margin, pressing, contacts.size());
  for (std::size_t i = 0; i < found; ++i) {
    const std::uint32_t p = found_[i].point;
    CondensedContact& contact = contacts[i];
    contact.key = p;
    Vector3 rest = Vector3::Zero();
    if (p < vertex_count) {
      contact.row = row_of_vertex(*model_, p);
      contact.point = surface_->position(p, u);
      rest = surface_->rest(p);
    } else {
      const SurfacePoint at = sample(p);
      contact.row =
          row_in_triangle(*model_, at.triangle, std::span<const double, 3>(at.weights.data(), 3));
      contact.point = position(*surface_, at, u);
      rest = rest_position(*surface_, at);
    }
    const SignedField::Sample sample =
        field_->distance_and_gradient(tool.to_material(contact.point));
    const double steepness = sample.gradient.norm();
    contact.push = steepness > 0.0 ? Vector3(tool.orientation * (sample.gradient / steepness))
                                   : Vector3(Vector3::UnitZ());
    contact.gap = found_[i].distance;
    contact.target = contact.point - rest - contact.gap * contact.push;
  }
  return found;
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
