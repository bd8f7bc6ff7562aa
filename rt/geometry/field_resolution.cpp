#include "rt/geometry/field_resolution.h"

#include <algorithm>
#include <cmath>

namespace haptic {
namespace {

/// Depths at which the field is asked [voxels], and the value from which on it counts as inside. A
/// surface deeper than a voxel has -1 at the second one.
constexpr double kDepths[] = {0.125, 0.25, 0.375, 0.5, 0.75, 1.0, 1.5, 2.0};
constexpr double kInside = -0.1;

constexpr double kStride = 0.25;  // voxels
constexpr int kMaxSamples = 256;

/// A place on a surface, and the direction into the body.
struct Place {
  Vector3 middle, inwards;
};

/// Fraction by area of the places for which `holds`, of at most kMaxTriangles triangles.
template <typename Holds>
double fraction_of(std::span<const double> vertices, std::span<const std::uint32_t> triangles,
                   const Holds& holds) {
  const std::size_t count = triangles.size() / 3;
  const std::size_t stride = std::max<std::size_t>(1, (count + kMaxTriangles - 1) / kMaxTriangles);
  const auto vertex = [&](std::uint32_t v) {
    return Vector3(vertices[3 * v], vertices[3 * v + 1], vertices[3 * v + 2]);
  };
  double all = 0.0, part = 0.0;
  for (std::size_t t = 0; t < count; t += stride) {
    const Vector3 a = vertex(triangles[3 * t]), b = vertex(triangles[3 * t + 1]),
                  c = vertex(triangles[3 * t + 2]);
    const Vector3 normal = (b - a).cross(c - a);
    const double area = normal.norm();
    if (!(area > 0.0)) continue;
    all += area;
    if (holds(Place{(a + b + c) / 3.0, -normal / area})) part += area;
  }
  return all > 0.0 ? part / all : 0.0;
}

}  // namespace

double unresolved_fraction(const SignedField& field, std::span<const double> vertices,
                           std::span<const std::uint32_t> triangles) {
  const double voxel = field.edge();
  return fraction_of(vertices, triangles, [&](const Place& place) {
    return std::ranges::none_of(kDepths, [&](double depth) {
      const Vector3 p = place.middle + depth * voxel * place.inwards;
      return field.distance_and_gradient(p).distance < kInside * voxel;
    });
  });
}

double thin_fraction(const SignedField& field, std::span<const double> vertices,
                     std::span<const std::uint32_t> triangles, double thickness) {
  const double step = std::max(kStride * field.edge(), thickness / kMaxSamples);
  return fraction_of(vertices, triangles, [&](const Place& place) {
    bool was_inside = false;
    for (double depth = step; depth < thickness; depth += step) {
      const double d = field.distance_and_gradient(place.middle + depth * place.inwards).distance;
      if (was_inside && d >= 0.0) return true;
      was_inside = was_inside || d < kInside * field.edge();
    }
    return false;
  });
}

double mean_spacing(std::span<const double> vertices, std::span<const std::uint32_t> triangles,
                    std::size_t points) {
  double twice = 0.0;
  for (std::size_t t = 0; t + 2 < triangles.size(); t += 3) {
    const auto vertex = [&](std::size_t corner) {
      return Vector3(vertices.data() + 3 * std::size_t{triangles[t + corner]});
    };
    twice += (vertex(1) - vertex(0)).cross(vertex(2) - vertex(0)).norm();
  }
  return points > 0 ? std::sqrt(0.5 * twice / static_cast<double>(points)) : 0.0;
}

}  // namespace haptic
