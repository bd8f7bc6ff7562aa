#include "rt/geometry/analytic_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "shared/error.h"

namespace haptic {
namespace {

using Sample = SignedField::Sample;

Vector3 unit_or(const Vector3& v, const Vector3& otherwise) HAPTIC_REALTIME {
  const double length = v.norm();
  return length > 0.0 ? Vector3(v / length) : otherwise;
}

Sample of_sphere(const Vector3& p, double radius) HAPTIC_REALTIME {
  return {p.norm() - radius, unit_or(p, Vector3::UnitZ())};
}

Sample of_box(const Vector3& p, const Vector3& half) HAPTIC_REALTIME {
  const Vector3 excess = p.cwiseAbs() - half;
  // std::max returns its first argument if the comparison is false, so a NaN propagates.
  const Vector3 beyond(std::max(excess.x(), 0.0), std::max(excess.y(), 0.0),
                       std::max(excess.z(), 0.0));
  const Vector3 sign(std::copysign(1.0, p.x()), std::copysign(1.0, p.y()),
                     std::copysign(1.0, p.z()));
  const double outside = beyond.norm();
  int nearest = 0;
  for (int axis = 1; axis < 3; ++axis) {
    if (excess[axis] > excess[nearest]) nearest = axis;
  }
  if (outside == 0.0) return {excess[nearest], sign[nearest] * Vector3::Unit(nearest)};
  return {outside, sign.cwiseProduct(beyond) / outside};
}

Sample of_capsule(const Vector3& p, double radius, double length) HAPTIC_REALTIME {
  const double along = std::min(std::max(p.z(), -0.5 * length), 0.5 * length);
  return of_sphere(p - Vector3(0.0, 0.0, along), radius);
}

Sample of_torus(const Vector3& p, double circle, double tube) HAPTIC_REALTIME {
  const double across = std::sqrt(p.x() * p.x() + p.y() * p.y());
  const Vector3 out = unit_or(Vector3(p.x(), p.y(), 0.0), Vector3::UnitX());
  return of_sphere(Vector3((across - circle) * out + Vector3(0.0, 0.0, p.z())), tube);
}

double size_of(const AnalyticShape& shape) {
  return shape.kind == ShapeKind::kPlane ? shape.size[0] : 2.0 * shape.radius();
}

}  // namespace

AnalyticField::AnalyticField(const AnalyticShape& shape)
    : shape_(shape),
      edge_(size_of(shape) / 128.0),
      reach_(shape.kind == ShapeKind::kPlane ? 1e6 : shape.radius()),
      margin_(1e-9 * size_of(shape)) {
  const auto names = shape_sizes(shape.kind);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (shape.size[i] > 0.0 && std::isfinite(shape.size[i])) continue;
    throw InputError(shape.text(), names[i], fmt::format("found {}", shape.size[i]),
                     "a length > 0 [m]");
  }
  if (shape.kind == ShapeKind::kTorus && shape.size[1] >= shape.size[0]) {
    throw InputError(shape.text(), "tube", fmt::format("found {}", shape.size[1]),
                     "a tube thinner than the radius of its circle");
  }
}

double AnalyticField::inner_depth() const HAPTIC_REALTIME {
  const auto& size = shape_.size;
  switch (shape_.kind) {
    case ShapeKind::kSphere:
    case ShapeKind::kCapsule:
      return size[0];
    case ShapeKind::kBox:
      return 0.5 * std::min({size[0], size[1], size[2]});
    case ShapeKind::kPlane:
      return std::numeric_limits<double>::infinity();
    case ShapeKind::kTorus:
      return size[1];
  }
  return edge_;
}

SignedField::Sample AnalyticField::distance_and_gradient(const Vector3& p) const HAPTIC_REALTIME {
  const auto& size = shape_.size;
  switch (shape_.kind) {
    case ShapeKind::kSphere:
      return of_sphere(p, size[0]);
    case ShapeKind::kBox:
      return of_box(p, 0.5 * Vector3(size[0], size[1], size[2]));
    case ShapeKind::kPlane:
      // x and y have no effect unless they are not finite.
      return {p.z() + 0.0 * (p.x() + p.y()), Vector3::UnitZ()};
    case ShapeKind::kCapsule:
      return of_capsule(p, size[0], size[1]);
    case ShapeKind::kTorus:
      return of_torus(p, size[0], size[1]);
  }
  return {0.0, Vector3::Zero()};
}

double AnalyticField::distance(const Vector3& p) const HAPTIC_REALTIME {
  return distance_and_gradient(p).distance;
}

void AnalyticField::evaluate(const FieldPoints& points, std::uint32_t count, Culling culling,
                             FieldSamples& samples) const HAPTIC_REALTIME {
  for (std::uint32_t i = 0; i < count; ++i) {
    const double d = distance(Vector3(points.x[i], points.y[i], points.z[i]));
    samples.distance[i] = d;
    // std::max returns its first argument if the comparison is false, so a NaN propagates.
    samples.free_radius[i] = culling == Culling::kPublished ? d : std::max(d - margin_, 0.0);
  }
}

}  // namespace haptic
