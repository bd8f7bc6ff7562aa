#include "host/mesh/implicit_solid.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "host/mesh/isosurface.h"

namespace haptic {
namespace {

Vector3 gradient(const Implicit& solid, const Vector3& p, double step) {
  Vector3 g;
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3 d = step * Vector3::Unit(axis);
    g[axis] = (solid(p + d) - solid(p - d)) / (2.0 * step);
  }
  return g;
}

/// Newton along the gradient, never further than half a cell in all.
void project(const Implicit& solid, double cell, Vector3& vertex) {
  const Vector3 start = vertex;
  for (int iteration = 0; iteration < 4; ++iteration) {
    const double value = solid(vertex);
    const Vector3 g = gradient(solid, vertex, 0.05 * cell);
    const double slope2 = g.squaredNorm();
    if (slope2 < 1e-12) return;
    const Vector3 next = vertex - value / slope2 * g;
    if ((next - start).norm() > 0.5 * cell) return;
    vertex = next;
  }
}

Vector3 normal_of(const std::vector<Vector3>& v, const std::array<std::uint32_t, 3>& t) {
  return (v[t[1]] - v[t[0]]).cross(v[t[2]] - v[t[0]]).normalized();
}

/// Newton steps on every vertex; if they turn a triangle over at an edge, its vertices return to
/// their former positions.
void project_vertices(const Implicit& solid, double cell, TriangleMesh& mesh) {
  const std::vector<Vector3> before = mesh.vertices;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, mesh.vertices.size(), 512),
                    [&](const auto& range) {
                      for (std::size_t v = range.begin(); v != range.end(); ++v) {
                        project(solid, cell, mesh.vertices[v]);
                      }
                    });
  constexpr double kFolded =
      0.5;  // cosine; a right edge met halfway turns a triangle by 45 degrees
  for (int pass = 0; pass < 3; ++pass) {
    for (const auto& triangle : mesh.triangles) {
      if (normal_of(before, triangle).dot(normal_of(mesh.vertices, triangle)) >= kFolded) continue;
      for (const std::uint32_t v : triangle) mesh.vertices[v] = before[v];
    }
  }
}

}  // namespace

TriangleMesh implicit_surface(const Implicit& solid, const BoundingBox& box,
                              std::uint32_t resolution, const Progress& progress) {
  constexpr std::uint32_t kMargin = 3;
  constexpr double kSamplesShare = 0.6, kIsosurfaceShare = 0.8;
  const double cell = box.longest_side() / resolution;
  GridSamples samples;
  samples.spacing = cell;
  for (int axis = 0; axis < 3; ++axis) {
    const auto cells = static_cast<std::uint32_t>(std::ceil(box.size()[axis] / cell - 1e-9));
    samples.counts[static_cast<std::size_t>(axis)] = cells + 2 * kMargin + 1;
    // Shifted by a fraction of a cell, so that planes of symmetry contain no nodes.
    samples.origin[axis] = box.centre()[axis] - (0.5 * cells + kMargin + 0.037 * (axis + 1)) * cell;
  }
  const auto [nx, ny, nz] = samples.counts;
  std::atomic<std::uint32_t> done = 0;
  std::vector<float> values(static_cast<std::size_t>(nx) * ny * nz);
  tbb::parallel_for(tbb::blocked_range<std::uint32_t>(0, nz), [&](const auto& range) {
    for (std::uint32_t k = range.begin(); k != range.end(); ++k) {
      for (std::uint32_t j = 0; j < samples.counts[1]; ++j) {
        for (std::uint32_t i = 0; i < samples.counts[0]; ++i) {
          const Vector3 p = samples.origin + cell * Vector3(i, j, k);
          const std::size_t index =
              (static_cast<std::size_t>(k) * samples.counts[1] + j) * samples.counts[0] + i;
          values[index] = static_cast<float>(solid(p));
        }
      }
      if (progress) progress(kSamplesShare * ++done / samples.counts[2]);
    }
  });
  samples.values = values;
  TriangleMesh mesh = isosurface(samples, 0.0).mesh;
  if (progress) progress(kIsosurfaceShare);
  project_vertices(solid, cell, mesh);
  return mesh;
}

double smooth_union(double a, double b, double radius) {
  if (radius <= 0.0) return std::min(a, b);
  const double h = std::max(radius - std::abs(a - b), 0.0) / radius;
  return std::min(a, b) - 0.25 * h * h * radius;
}

double smooth_intersection(double a, double b, double radius) {
  return -smooth_union(-a, -b, radius);
}

double box_distance(const Vector3& p, const Vector3& half_size, double rounding) {
  const Vector3 d = p.cwiseAbs() - (half_size - Vector3::Constant(rounding));
  return d.cwiseMax(0.0).norm() + std::min(d.maxCoeff(), 0.0) - rounding;
}

void BarSet::add_square(const Vector3& a, const Vector3& b, double half) {
  const Vector3 along = (b - a).normalized();
  const Vector3 up = std::abs(along.z()) < 0.99 ? Vector3::UnitZ() : Vector3::UnitX();
  const Vector3 side = along.cross(up).normalized();
  Bar bar;
  bar.centre = 0.5 * (a + b);
  bar.axes << along.transpose(), side.transpose(), side.cross(along).transpose();
  bar.half_size = {0.5 * (b - a).norm(), half, half};
  bar.radius = 0.0;
  bar.reach = bar.half_size.norm();
  bars_.push_back(bar);
}

void BarSet::add_round(const Vector3& a, const Vector3& b, double radius) {
  add_square(a, b, 0.0);
  bars_.back().radius = radius;
  bars_.back().reach += radius;
}

double BarSet::distance(const Vector3& p) const {
  double nearest = std::numeric_limits<double>::max();
  for (const Bar& bar : bars_) {
    const Vector3 d = p - bar.centre;
    const double bound = nearest + bar.reach;  // no nearer than |d| - reach
    if (bound > 0.0 && d.squaredNorm() >= bound * bound) continue;
    nearest = std::min(nearest, box_distance(bar.axes * d, bar.half_size) - bar.radius);
  }
  return nearest;
}

}  // namespace haptic
