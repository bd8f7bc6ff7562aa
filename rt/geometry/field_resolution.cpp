#include "rt/geometry/field_resolution.h"

#include <algorithm>

namespace haptic {
namespace {

/// Depths at which the field is asked [voxels], and the value from which on it counts as inside. A
/// surface deeper than a voxel has -1 at the second one.
constexpr double kDepths[] = {0.125, 0.25, 0.375, 0.5, 0.75, 1.0, 1.5, 2.0};
constexpr double kInside = -0.1;

}  // namespace

double unresolved_fraction(const SignedField& field, std::span<const double> vertices,
                           std::span<const std::uint32_t> triangles) {
  const std::size_t count = triangles.size() / 3;
  const std::size_t stride = std::max<std::size_t>(1, count / kMostTriangles);
  const double voxel = field.edge();
  const auto vertex = [&](std::uint32_t v) {
    return Vector3(vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]);
  };
  double all = 0.0, unresolved = 0.0;
  for (std::size_t t = 0; t < count; t += stride) {
    const Vector3 a = vertex(triangles[3 * t]), b = vertex(triangles[3 * t + 1]),
                  c = vertex(triangles[3 * t + 2]);
    const Vector3 normal = (b - a).cross(c - a);
    const double area = normal.norm();
    if (!(area > 0.0)) continue;
    all += area;
    const Vector3 middle = (a + b + c) / 3.0, inwards = -normal / area;
    const bool resolved = std::ranges::any_of(kDepths, [&](double depth) {
      const Vector3 p = middle + depth * voxel * inwards;
      return field.distance_and_gradient(p).distance < kInside * voxel;
    });
    if (!resolved) unresolved += area;
  }
  return all > 0.0 ? unresolved / all : 0.0;
}

}  // namespace haptic
