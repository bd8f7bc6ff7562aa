#include "host/mesh/isosurface.h"

#include <fmt/format.h>

#include <cmath>

#include "host/vdb/volume_surface.h"
#include "shared/error.h"

namespace haptic {
namespace {

void check(const GridSamples& samples, double iso) {
  std::size_t expected = 1;
  for (const std::uint32_t count : samples.counts) {
    if (count < 2 || count > 4097) {
      throw InputError("", "isosurface", fmt::format("grid of {} nodes", count), "2 to 4097");
    }
    expected *= count;
  }
  if (samples.values.size() != expected) {
    throw InputError("", "isosurface", fmt::format("{} values", samples.values.size()),
                     fmt::format("{}", expected));
  }
  if (!(samples.spacing > 0.0) || !std::isfinite(iso)) {
    throw InputError("", "isosurface", "bad spacing or iso value", "spacing > 0, finite iso value");
  }
  for (const float value : samples.values) {
    if (!std::isfinite(value)) {
      throw InputError("", "isosurface", "a sample that is not finite");
    }
  }
}

bool reaches_border(const GridSamples& samples, double iso) {
  const auto [nx, ny, nz] = samples.counts;
  std::size_t index = 0;
  for (std::uint32_t k = 0; k < nz; ++k) {
    for (std::uint32_t j = 0; j < ny; ++j) {
      for (std::uint32_t i = 0; i < nx; ++i, ++index) {
        const bool border = i == 0 || j == 0 || k == 0 || i + 1 == nx || j + 1 == ny || k + 1 == nz;
        if (border && samples.values[index] < iso) return true;
      }
    }
  }
  return false;
}

}  // namespace

TriangleMesh triangles_on_grid(const VolumeSurface& surface, const Vector3& origin,
                               double spacing) {
  TriangleMesh mesh;
  mesh.vertices.reserve(surface.points.size());
  for (const auto& [x, y, z] : surface.points) {
    mesh.vertices.push_back(origin + spacing * Vector3(x, y, z));
  }
  mesh.triangles = surface.triangles;
  for (const auto& q : surface.quads) {
    const auto& v = mesh.vertices;
    if ((v[q[0]] - v[q[2]]).squaredNorm() <= (v[q[1]] - v[q[3]]).squaredNorm()) {
      mesh.triangles.push_back({q[0], q[1], q[2]});
      mesh.triangles.push_back({q[0], q[2], q[3]});
    } else {
      mesh.triangles.push_back({q[0], q[1], q[3]});
      mesh.triangles.push_back({q[1], q[2], q[3]});
    }
  }
  return mesh;
}

Isosurface isosurface(const GridSamples& samples, double iso) {
  check(samples, iso);
  const auto background = static_cast<float>(iso + 8.0 * samples.spacing);
  const VolumeSurface surface = volume_surface(samples.counts, samples.values, background, iso);

  Isosurface result;
  TriangleMesh& mesh = result.mesh;
  mesh = triangles_on_grid(surface, samples.origin, samples.spacing);
  if (mesh.triangles.empty()) {
    throw OperationError(fmt::format("no surface at value {}", iso));
  }
  result.report = clean_mesh(mesh);
  result.capped = reaches_border(samples, iso);
  return result;
}

}  // namespace haptic
