#include "rt/worlds/cloth/contact/site_path.h"

#include <algorithm>

#include "rt/contact/field_normal.h"

namespace haptic::cloth {
namespace {

constexpr int kMaxSteps = 64;

}  // namespace

double distance_at(const SignedField& field, const Vector3& p) HAPTIC_REALTIME {
  FieldPoints points;
  points.x[0] = p.x(), points.y[0] = p.y(), points.z[0] = p.z();
  FieldSamples samples;
  field.evaluate(points, 1, Culling::kPublished, samples);
  return samples.distance[0];
}

SurfacePlane plane_at(const SignedField& field, const Vector3& p, double offset) HAPTIC_REALTIME {
  const FieldNormal at = field_normal(field, p, distance_at(field, p));
  return {p - (at.distance - offset) * at.normal, at.normal, at.slope_squared};
}

std::optional<SurfacePlane> first_entry(const SignedField& field, const Vector3& from,
                                        const Vector3& change, double offset) HAPTIC_REALTIME {
  const double length = change.norm();
  if (!(length > 0.0)) return std::nullopt;
  const Vector3 along = change / length;
  const double near = 1e-3 * field.edge();
  double way = 0.0;
  for (int k = 0; k < kMaxSteps; ++k) {
    const double room = distance_at(field, from + way * along) - offset;
    if (!(room > near)) return plane_at(field, from + way * along, offset);
    way += room;
    if (way > length) return std::nullopt;
  }
  return plane_at(field, from + way * along, offset);
}

}  // namespace haptic::cloth
