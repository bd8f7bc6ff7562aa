#include "host/sampling/point_file.h"

#include <fmt/format.h>

#include <cmath>

#include "host/formats/number_lines.h"

namespace haptic {

namespace {

constexpr std::size_t kMaxPoints = 4'000'000;
constexpr double kMaxDistance = 0.05;  // of the longest side
constexpr double kUnit = 1e-3;

/// Whether a normal faces out of the surface at p; for a point off the surface, by the direction to
/// it.
bool faces_outward(const NearestPoint& nearest, const Vector3& normal) {
  return normal.dot(nearest.pseudonormal) > 0.0;
}

}  // namespace

FilePoints read_point_file(const std::filesystem::path& path, const Placement& placement,
                           const SurfaceDistance& surface) {
  constexpr const char* kLayout = "x y z, or x y z nx ny nz";
  const double farthest = kMaxDistance * bounding_box(surface.mesh()).longest_side();
  NumberLines lines(path, '#');
  FilePoints found;
  while (lines.next()) {
    if (lines.word_count() != 3 && lines.word_count() != 6) {
      lines.refuse(fmt::format("found {} words", lines.word_count()), kLayout);
    }
    if (found.points.size() == kMaxPoints) {
      lines.refuse("found more points", "at most 4000000");
    }
    const Vector3 given(lines.real(0), lines.real(1), lines.real(2));
    const Vector3 p = placement(given);
    const NearestPoint nearest = surface.nearest(p);
    if (!(nearest.distance <= farthest)) {
      lines.refuse(fmt::format("found a point {:.3g} m from the surface", nearest.distance),
                   fmt::format("at most {:.3g} m, in the coordinates of the mesh file", farthest));
    }
    Vector3 normal = Vector3::Zero();
    if (lines.word_count() == 6) {
      normal = placement.rotation * Vector3(lines.real(3), lines.real(4), lines.real(5));
      const double length = normal.norm();
      if (!(std::abs(length - 1.0) <= kUnit)) {
        lines.refuse(fmt::format("found a normal of length {:.6g}", length),
                     "unit normals (within 1e-3)");
      }
      if (faces_outward(nearest, normal)) {
        lines.refuse("found a normal that faces outward", "inward normals");
      }
      normal /= length;
    }
    found.points.push_back(p);
    found.normals.push_back(normal);
  }
  if (found.points.empty()) lines.refuse("found no point", kLayout);
  return found;
}

}  // namespace haptic
