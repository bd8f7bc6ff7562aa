#include "rt/worlds/condensed/start_overlap.h"

#include <algorithm>
#include <numbers>

#include "shared/math/solid_angle.h"

namespace haptic::condensed {

double winding_number(const CondensedSurface& surface, const Vector3& point) {
  double sum = 0.0;
  for (std::uint32_t t = 0; t < surface.triangle_count(); ++t) {
    const auto v = surface.corners(t);
    sum += half_solid_angle(surface.rest(v[0]) - point, surface.rest(v[1]) - point,
                            surface.rest(v[2]) - point);
  }
  return sum / (2.0 * std::numbers::pi);
}

StartOverlap start_overlap(const CondensedSurface& surface, const SignedField& field,
                           const Pose& tool) {
  StartOverlap overlap;
  for (std::uint32_t v = 0; v < surface.vertex_count(); ++v) {
    const Vector3 at = tool.to_material(surface.rest(v));
    overlap.depth = std::max(overlap.depth, -field.distance_and_gradient(at).distance);
  }
  overlap.tool_in_body = winding_number(surface, tool.position) > 0.5;
  return overlap;
}

StartOverlap start_overlap(const CondensedSurface& surface, std::span<const Vector3> points,
                           const Pose& tool) {
  StartOverlap overlap;
  for (const Vector3& p : points) {
    if (winding_number(surface, tool.to_world(p)) > 0.5) overlap.tool_in_body = true;
  }
  return overlap;
}

}  // namespace haptic::condensed
