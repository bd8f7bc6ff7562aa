#include "host/sampling/comparison_samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/mesh/voxel_mesh.h"
#include "shared/error.h"

namespace haptic {

namespace {

constexpr double kMaxSamples = 4e6;

[[noreturn]] void refuse_spacing(double spacing) {
  throw InputError("shell", "spacing", fmt::format("found {}", spacing),
                   "a spacing that gives at most 4000000 points");
}

/// Refuses a far too small spacing before the work; the exact limit is checked by counting.
void check_spacing(const SurfaceDistance& surface, double spacing) {
  if (!(spacing > 0.0)) {
    throw InputError("shell", "spacing", fmt::format("found {}", spacing), "a number > 0 [m]");
  }
  if (surface_area(surface.mesh()) / (spacing * spacing) > 8.0 * kMaxSamples) {
    refuse_spacing(spacing);
  }
}

struct Cell {
  std::array<std::int32_t, 3> at;
  std::uint32_t triangle;
};

/// A triangle seen along an axis: its corners in the plane, counter-clockwise.
class Footprint {
 public:
  Footprint(const TriangleMesh& mesh, std::uint32_t triangle, int axis)
      : corner_(mesh.triangles[triangle]),
        vertices_(mesh.vertices),
        u_((axis + 1) % 3),
        v_((axis + 2) % 3) {
    const double area = cross(corner_[0], corner_[1], place(corner_[2]));
    if (area < 0.0) std::swap(corner_[1], corner_[2]);
    twice_area_ = std::abs(area);
  }

  struct Place {
    double u, v;
  };
  Place place(std::uint32_t vertex) const { return {vertices_[vertex][u_], vertices_[vertex][v_]}; }
  double twice_area() const { return twice_area_; }
  const std::array<std::uint32_t, 3>& corners() const { return corner_; }

  /// Barycentric weights of a place if it is inside; edges belong to one of their two triangles.
  bool contains(const Place& p, std::array<double, 3>& weights) const {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = corner_[(i + 1) % 3], b = corner_[(i + 2) % 3];
      weights[i] = cross(a, b, p);
      if (weights[i] < 0.0 || (weights[i] == 0.0 && !owns(a, b))) return false;
    }
    for (double& w : weights) w /= twice_area_;
    return true;
  }

 private:
  /// Twice the area of (a, b, p); the same bits, negated, for (b, a, p), so that neighbours agree.
  double cross(std::uint32_t a, std::uint32_t b, const Place& p) const {
    if (a > b) return -cross(b, a, p);
    const Place pa = place(a), pb = place(b);
    return (pb.u - pa.u) * (p.v - pa.v) - (pb.v - pa.v) * (p.u - pa.u);
  }
  /// Top-left rule: an edge belongs to one of its two directions.
  bool owns(std::uint32_t a, std::uint32_t b) const {
    const Place pa = place(a), pb = place(b);
    return pa.v > pb.v || (pa.v == pb.v && pa.u < pb.u);
  }

  std::array<std::uint32_t, 3> corner_;
  const std::vector<Vector3>& vertices_;
  int u_, v_;
  double twice_area_ = 0.0;
};

/// Rays along `axis` at half spacings from `origin`.
void add_hits(const TriangleMesh& mesh, int axis, const Vector3& origin, double spacing,
              UnorderedSamples& samples) {
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  const auto first_ray = [&](double x, int along) {
    return std::ceil((x - origin[along]) / spacing - 0.5 - 1e-9);
  };
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const Footprint foot(mesh, t, axis);
    if (!(foot.twice_area() > 0.0)) continue;
    Vector3 low = mesh.vertices[mesh.triangles[t][0]], high = low;
    for (const std::uint32_t vertex : mesh.triangles[t]) {
      low = low.cwiseMin(mesh.vertices[vertex]);
      high = high.cwiseMax(mesh.vertices[vertex]);
    }
    for (double i = first_ray(low[u], u); origin[u] + (i + 0.5) * spacing <= high[u]; ++i) {
      for (double j = first_ray(low[v], v); origin[v] + (j + 0.5) * spacing <= high[v]; ++j) {
        const double at_u = origin[u] + (i + 0.5) * spacing;
        const double at_v = origin[v] + (j + 0.5) * spacing;
        std::array<double, 3> w{};
        if (!foot.contains({at_u, at_v}, w)) continue;
        if (static_cast<double>(samples.points.size()) >= kMaxSamples) refuse_spacing(spacing);
        Vector3 hit;
        hit[u] = at_u;
        hit[v] = at_v;
        hit[axis] = 0.0;
        for (std::size_t c = 0; c < 3; ++c) {
          hit[axis] += w[c] * mesh.vertices[foot.corners()[c]][axis];
        }
        samples.points.push_back(hit);
        samples.triangles.push_back(t);
      }
    }
  }
}

}  // namespace

UnorderedSamples vertex_samples(const SurfaceDistance& surface) {
  const TriangleMesh& mesh = surface.mesh();
  std::vector<bool> taken(mesh.vertices.size(), false);
  UnorderedSamples samples;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const std::uint32_t v : mesh.triangles[t]) {
      if (taken[v]) continue;
      taken[v] = true;
      samples.points.push_back(mesh.vertices[v]);
      samples.triangles.push_back(t);
    }
  }
  return samples;
}

UnorderedSamples voxel_samples(const SurfaceDistance& surface, double spacing) {
  check_spacing(surface, spacing);
  const TriangleMesh& mesh = surface.mesh();
  // The box's centre is a cell's centre, which keeps flat sides of the box off the cell faces
  // unless the box's size says otherwise.
  const Vector3 origin = bounding_box(mesh).centre() - Vector3::Constant(0.5 * spacing);
  const auto cell_of = [&](double x, int axis) {
    return static_cast<std::int32_t>(std::floor((x - origin[axis]) / spacing));
  };
  std::vector<Cell> cells;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    const Vector3& a = mesh.vertices[mesh.triangles[t][0]];
    const Vector3& b = mesh.vertices[mesh.triangles[t][1]];
    const Vector3& c = mesh.vertices[mesh.triangles[t][2]];
    const Vector3 low = a.cwiseMin(b).cwiseMin(c), high = a.cwiseMax(b).cwiseMax(c);
    for (std::int32_t k = cell_of(low.z(), 2); k <= cell_of(high.z(), 2); ++k) {
      for (std::int32_t j = cell_of(low.y(), 1); j <= cell_of(high.y(), 1); ++j) {
        for (std::int32_t i = cell_of(low.x(), 0); i <= cell_of(high.x(), 0); ++i) {
          const Vector3 centre = origin + spacing * Vector3(i + 0.5, j + 0.5, k + 0.5);
          if (!triangle_meets_cube(centre, 0.5 * spacing, a, b, c)) continue;
          cells.push_back({{k, j, i}, t});
          if (static_cast<double>(cells.size()) > 16.0 * kMaxSamples) refuse_spacing(spacing);
        }
      }
    }
  }
  std::sort(cells.begin(), cells.end(), [](const Cell& x, const Cell& y) {
    return x.at != y.at ? x.at < y.at : x.triangle < y.triangle;
  });
  cells.erase(std::unique(cells.begin(), cells.end(),
                          [](const Cell& x, const Cell& y) { return x.at == y.at; }),
              cells.end());
  if (static_cast<double>(cells.size()) > kMaxSamples) refuse_spacing(spacing);
  UnorderedSamples samples;
  for (const Cell& cell : cells) {
    const Vector3 centre =
        origin + spacing * Vector3(cell.at[2] + 0.5, cell.at[1] + 0.5, cell.at[0] + 0.5);
    samples.points.push_back(centre);
    samples.triangles.push_back(surface.nearest(centre, cell.triangle).triangle);
  }
  return samples;
}

UnorderedSamples layered_depth_samples(const SurfaceDistance& surface, double spacing) {
  check_spacing(surface, spacing);
  UnorderedSamples samples;
  const Vector3 origin = bounding_box(surface.mesh()).lower;
  for (int axis = 0; axis < 3; ++axis) {
    add_hits(surface.mesh(), axis, origin, spacing, samples);
  }
  if (samples.points.empty()) {
    throw InputError("shell", "spacing", fmt::format("found {}", spacing),
                     "a spacing whose rays meet the surface");
  }
  return samples;
}

}  // namespace haptic
