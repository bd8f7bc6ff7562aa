#include <tbb/parallel_for.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "host/bake/solid_body.h"

namespace haptic {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Squared distance of p from the segment or triangle spanned by points, by clamping.
double squared_distance_to_triangle(const Vector3& p, const Vector3& a, const Vector3& b,
                                    const Vector3& c) {
  const auto to_segment = [&](const Vector3& s, const Vector3& t) {
    const Vector3 along = t - s;
    const double at = std::clamp((p - s).dot(along) / along.squaredNorm(), 0.0, 1.0);
    return (p - s - at * along).squaredNorm();
  };
  const Vector3 normal = (b - a).cross(c - a);
  const bool above = (b - a).cross(p - a).dot(normal) >= 0.0 &&
                     (c - b).cross(p - b).dot(normal) >= 0.0 &&
                     (a - c).cross(p - c).dot(normal) >= 0.0;
  if (above) {
    const double height = (p - a).dot(normal);
    return height * height / normal.squaredNorm();
  }
  return std::min({to_segment(a, b), to_segment(b, c), to_segment(c, a)});
}

}  // namespace

/// Tetrahedra sorted into the cells of a regular grid that their boxes touch.
struct BodyEmbedding::Tetrahedra {
  explicit Tetrahedra(const SolidBody& solid);

  Vector3 corner(std::uint32_t e, int a) const {
    return Vector3(
        &body.vertices[3 * std::size_t{
                               body.elements[4 * std::size_t{e} + static_cast<std::size_t>(a)]}]);
  }
  std::array<double, 4> weights(std::uint32_t e, const Vector3& p) const {
    const Vector3 x = inverse[e] * (p - corner(e, 0));
    return {1.0 - x.sum(), x[0], x[1], x[2]};
  }
  double squared_distance(std::uint32_t e, const Vector3& p) const {
    const auto w = weights(e, p);
    if (*std::min_element(w.begin(), w.end()) >= -1e-10) return 0.0;
    double nearest = kInfinity;
    for (int face = 0; face < 4; ++face) {
      nearest = std::min(nearest, squared_distance_to_triangle(p, corner(e, (face + 1) % 4),
                                                               corner(e, (face + 2) % 4),
                                                               corner(e, (face + 3) % 4)));
    }
    return nearest;
  }
  int cell_along(int axis, double x) const {
    return static_cast<int>(
        std::clamp(std::floor((x - lower[axis]) / cell), 0.0, counts[axis] - 1.0));
  }
  std::size_t index(int i, int j, int k) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(counts[1]) +
            static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(counts[0]) +
           static_cast<std::size_t>(i);
  }
  EmbeddedPoint embed(const Vector3& p) const;

  const SolidBody& body;
  std::vector<Matrix3> inverse;  ///< of the edge matrices: barycentric coordinates 1..3
  Vector3 lower = Vector3::Constant(kInfinity);
  double cell = 1.0;
  std::array<int, 3> counts{};
  std::vector<std::vector<std::uint32_t>> in_cell;
};

BodyEmbedding::Tetrahedra::Tetrahedra(const SolidBody& solid) : body(solid) {
  const auto count = static_cast<std::uint32_t>(solid.element_count());
  Vector3 upper = -lower;
  for (std::uint32_t e = 0; e < count; ++e) {
    Matrix3 edges;
    for (int a = 0; a < 4; ++a) {
      lower = lower.cwiseMin(corner(e, a));
      upper = upper.cwiseMax(corner(e, a));
      if (a > 0) edges.col(a - 1) = corner(e, a) - corner(e, 0);
    }
    inverse.push_back(edges.inverse());
  }
  // As many cells as elements, some ten elements in each that is not empty.
  const Vector3 size = (upper - lower).cwiseMax(1e-12 * (upper - lower).maxCoeff());
  cell = std::cbrt(size.prod() / std::max(1.0, static_cast<double>(count)));
  cell = std::max(cell, size.maxCoeff() / 256.0);
  for (int axis = 0; axis < 3; ++axis) {
    counts[static_cast<std::size_t>(axis)] = static_cast<int>(size[axis] / cell) + 1;
  }
  in_cell.resize(index(0, 0, counts[2]));
  for (std::uint32_t e = 0; e < count; ++e) {
    Vector3 low = corner(e, 0), high = low;
    for (int a = 1; a < 4; ++a) {
      low = low.cwiseMin(corner(e, a));
      high = high.cwiseMax(corner(e, a));
    }
    for (int k = cell_along(2, low.z()); k <= cell_along(2, high.z()); ++k) {
      for (int j = cell_along(1, low.y()); j <= cell_along(1, high.y()); ++j) {
        for (int i = cell_along(0, low.x()); i <= cell_along(0, high.x()); ++i) {
          in_cell[index(i, j, k)].push_back(e);
        }
      }
    }
  }
}

EmbeddedPoint BodyEmbedding::Tetrahedra::embed(const Vector3& p) const {
  const std::array<int, 3> home = {cell_along(0, p.x()), cell_along(1, p.y()),
                                   cell_along(2, p.z())};
  std::uint32_t best = 0;
  double nearest = kInfinity;
  const int rings = std::max({counts[0], counts[1], counts[2]});
  for (int ring = 0; ring <= rings; ++ring) {
    // A cell of this ring is at least (ring - 1) cells from any point of the home cell; a point
    // outside the grid is farther from all.
    const double reach = std::max(0, ring - 1) * cell;
    if (nearest < reach * reach || nearest == 0.0) break;
    for (int k = std::max(0, home[2] - ring); k <= std::min(counts[2] - 1, home[2] + ring); ++k) {
      for (int j = std::max(0, home[1] - ring); j <= std::min(counts[1] - 1, home[1] + ring); ++j) {
        const bool rim = std::abs(k - home[2]) == ring || std::abs(j - home[1]) == ring;
        for (int i = home[0] - ring; i <= home[0] + ring; i += rim || ring == 0 ? 1 : 2 * ring) {
          if (i < 0 || i >= counts[0]) continue;
          for (const std::uint32_t e : in_cell[index(i, j, k)]) {
            const double d = squared_distance(e, p);
            if (d < nearest || (d == nearest && e < best)) {
              nearest = d;
              best = e;
            }
          }
        }
      }
    }
  }
  EmbeddedPoint point;
  point.element = best;
  point.inside = nearest == 0.0;
  const auto w = weights(best, p);
  point.vertices.fill(body.elements[4 * std::size_t{best}]);
  point.gradients.fill(Vector3::Zero());
  for (std::size_t a = 0; a < 4; ++a) {
    point.vertices[a] = body.elements[4 * std::size_t{best} + a];
    point.weights[a] = w[a];
    point.gradients[a] = a == 0 ? Vector3(-inverse[best].colwise().sum().transpose())
                                : Vector3(inverse[best].row(static_cast<int>(a) - 1).transpose());
  }
  return point;
}

BodyEmbedding::BodyEmbedding(const SolidBody& body) {
  if (body.kind == ElementKind::kHexahedron) {
    cubes_.emplace(body.voxels);
  } else {
    tetrahedra_ = std::make_unique<Tetrahedra>(body);
  }
}

BodyEmbedding::~BodyEmbedding() = default;

std::vector<EmbeddedPoint> BodyEmbedding::embed(std::span<const Vector3> points) const {
  if (cubes_) return cubes_->embed(points);
  std::vector<EmbeddedPoint> embedded(points.size());
  tbb::parallel_for(std::size_t{0}, points.size(),
                    [&](std::size_t i) { embedded[i] = tetrahedra_->embed(points[i]); });
  return embedded;
}

}  // namespace haptic
