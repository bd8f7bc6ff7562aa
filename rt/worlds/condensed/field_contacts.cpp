#include "rt/worlds/condensed/field_contacts.h"

#include <algorithm>

namespace haptic::condensed {

namespace {

/// Distance of the points along an edge, over half of the tool's thickness: an edge may be
/// stretched three times before the tool passes between them.
constexpr double kSpacing = 0.5;

}  // namespace

FieldContacts::FieldContacts(const CondensedModel& model, const CondensedSurface& surface,
                             const SignedField& field)
    : model_(&model),
      surface_(&surface),
      field_(&field),
      samples_(surface, kSpacing * std::max(field.inner_depth(), field.edge())),
      found_(surface.vertex_count() + samples_.size()) {}

std::size_t FieldContacts::collect(const NearSurface& near, const Pose& tool,
                                   std::span<const double> u, double margin,
                                   std::span<CondensedContact> contacts) HAPTIC_REALTIME {
  const auto vertex_count = static_cast<std::uint32_t>(surface_->vertex_count());
  FieldPoints points{};
  FieldSamples distances;
  std::uint32_t batch[kFieldBatch];
  std::uint32_t count = 0;
  std::size_t found = 0;
  const auto look_up = [&]() HAPTIC_REALTIME {
    if (count == 0) return;
    field_->evaluate(points, count, Culling::kSafe, distances);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (distances.distance[i] < margin) found_[found++] = {distances.distance[i], batch[i]};
    }
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
  const auto begin = found_.begin(), end = begin + static_cast<std::ptrdiff_t>(found);
  dropped_ = found - std::min(found, contacts.size());
  found -= dropped_;
  const auto kept = begin + static_cast<std::ptrdiff_t>(found);
  if (dropped_ > 0) std::nth_element(begin, kept, end);
  std::sort(begin, kept, [](const Near& a, const Near& b) { return a.point < b.point; });
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
      const auto corners = surface_->corners(at.triangle);
      contact.row =
          row_in_triangle(*model_, at.triangle, std::span<const double, 3>(at.weights.data(), 3));
      contact.point = position(*surface_, at, u);
      for (std::size_t k = 0; k < 3; ++k) {
        rest += at.weights[static_cast<Eigen::Index>(k)] * surface_->rest(corners[k]);
      }
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

}  // namespace haptic::condensed
