#include "rt/worlds/condensed/field_contacts.h"

#include <algorithm>

namespace haptic {

FieldContacts::FieldContacts(const CondensedModel& model, const CondensedSurface& surface,
                             const SignedField& field)
    : model_(&model), surface_(&surface), field_(&field), found_(surface.vertex_count()) {}

std::size_t FieldContacts::collect(const NearSurface& near, const Pose& tool,
                                   std::span<const double> u, double margin,
                                   std::span<CondensedContact> contacts) HAPTIC_REALTIME {
  const std::span<const std::uint32_t> vertices = near.vertices();
  FieldPoints points{};
  FieldSamples samples;
  std::size_t found = 0;
  for (std::size_t first = 0; first < vertices.size(); first += kFieldBatch) {
    const std::size_t count = std::min<std::size_t>(kFieldBatch, vertices.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const Vector3 p = tool.to_material(surface_->position(vertices[first + i], u));
      points.x[i] = p.x(), points.y[i] = p.y(), points.z[i] = p.z();
    }
    field_->evaluate(points, static_cast<std::uint32_t>(count), Culling::kSafe, samples);
    for (std::size_t i = 0; i < count; ++i) {
      if (!(samples.distance[i] < margin)) continue;
      found_[found++] = {samples.distance[i], vertices[first + i]};
    }
  }
  const auto begin = found_.begin(), end = begin + static_cast<std::ptrdiff_t>(found);
  dropped_ = found - std::min(found, contacts.size());
  found -= dropped_;
  const auto kept = begin + static_cast<std::ptrdiff_t>(found);
  if (dropped_ > 0) std::nth_element(begin, kept, end);
  std::sort(begin, kept, [](const Near& a, const Near& b) { return a.vertex < b.vertex; });
  for (std::size_t i = 0; i < found; ++i) {
    const std::uint32_t v = found_[i].vertex;
    CondensedContact& contact = contacts[i];
    contact.key = v;
    contact.row = row_of_vertex(*model_, v);
    const Vector3 moved = surface_->displacement(v, u);
    contact.point = surface_->rest(v) + moved;
    const SignedField::Sample sample =
        field_->distance_and_gradient(tool.to_material(contact.point));
    const double steepness = sample.gradient.norm();
    contact.push = steepness > 0.0 ? Vector3(tool.orientation * (sample.gradient / steepness))
                                   : Vector3(Vector3::UnitZ());
    contact.gap = found_[i].distance;
    contact.target = moved - contact.gap * contact.push;
  }
  return found;
}

}  // namespace haptic
