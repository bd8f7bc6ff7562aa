#include "rt/bodies/surface_point.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "shared/error.h"

namespace haptic {
namespace {

/// Weights of the corners at the point of an edge (a, b) that is nearest to p.
Vector3 on_edge(const Vector3& p, const Vector3 (&corner)[3], int a, int b) {
  const Vector3 edge = corner[b] - corner[a];
  const double square = edge.squaredNorm();
  const double t = square > 0.0 ? std::clamp((p - corner[a]).dot(edge) / square, 0.0, 1.0) : 0.0;
  Vector3 weights = Vector3::Zero();
  weights[a] = 1.0 - t;
  weights[b] = t;
  return weights;
}

Vector3 at(const Vector3 (&corner)[3], const Vector3& weights) {
  return weights[0] * corner[0] + weights[1] * corner[1] + weights[2] * corner[2];
}

/// Barycentric coordinates of the point of a triangle that is nearest to p: its foot, or the
/// nearest point of an edge.
Vector3 nearest_weights(const Vector3& p, const Vector3 (&corner)[3]) {
  const Vector3 normal = (corner[1] - corner[0]).cross(corner[2] - corner[0]);
  if (const double square = normal.squaredNorm(); square > 0.0) {
    Vector3 weights;
    for (int i = 0; i < 3; ++i) {
      const Vector3 &next = corner[(i + 1) % 3], &last = corner[(i + 2) % 3];
      weights[i] = (last - next).cross(p - next).dot(normal) / square;
    }
    if ((weights.array() >= 0.0).all()) return weights;
  }
  Vector3 best = on_edge(p, corner, 0, 1);
  for (const Vector3& other : {on_edge(p, corner, 1, 2), on_edge(p, corner, 2, 0)}) {
    if ((at(corner, other) - p).squaredNorm() < (at(corner, best) - p).squaredNorm()) best = other;
  }
  return best;
}

}  // namespace

SurfacePoint nearest_surface_point(const ModelFile& model, std::uint32_t kept,
                                   const Vector3& at_rest) {
  if (!model.has("/surface/basis")) {
    throw InputError(model.path().string(), "/surface/basis", "missing",
                     "for a point of a body that deforms, a model of `haptic bake`");
  }
  const std::span<const double> vertices = model.doubles("/surface/vertices");
  const std::span<const std::uint32_t> triangles = model.indices("/surface/triangles");
  const std::span<const float> basis = model.floats("/surface/basis");
  SurfacePoint result;
  Vector3 lower = Vector3::Constant(std::numeric_limits<double>::infinity()), upper = -lower;
  for (std::size_t v = 0; v + 2 < vertices.size(); v += 3) {
    const Vector3 place(vertices[v], vertices[v + 1], vertices[v + 2]);
    lower = lower.cwiseMin(place);
    upper = upper.cwiseMax(place);
  }
  result.radius = 0.5 * (upper - lower).norm();
  for (const float u : basis) result.largest = std::max(result.largest, std::abs(double{u}));
  result.distance = std::numeric_limits<double>::infinity();
  std::size_t nearest = 0;
  for (std::size_t t = 0; t + 2 < triangles.size(); t += 3) {
    Vector3 corner[3];
    for (std::size_t i = 0; i < 3; ++i) {
      const double* v = vertices.data() + 3 * std::size_t{triangles[t + i]};
      corner[i] = {v[0], v[1], v[2]};
    }
    const Vector3 here = nearest_weights(at_rest, corner);
    const Vector3 place = at(corner, here);
    const double distance = (place - at_rest).norm();
    if (!(distance < result.distance)) continue;
    result.distance = distance;
    result.nearest = place;
    nearest = t;
    result.weights = here;
  }
  const std::size_t r = model.reduced_dimension();
  result.displacement = Eigen::Matrix3Xd::Zero(3, kept);
  if (triangles.empty()) return result;
  for (std::size_t i = 0; i < 3; ++i) {
    result.corners[i] = triangles[nearest + i];
    const float* rows = basis.data() + 3 * r * result.corners[i];
    for (int k = 0; k < 3; ++k) {
      for (std::uint32_t j = 0; j < kept; ++j) {
        result.displacement(k, j) += result.weights[static_cast<Eigen::Index>(i)] *
                                     double{rows[static_cast<std::size_t>(k) * r + j]};
      }
    }
  }
  if (!result.displacement.allFinite()) {
    throw InputError(model.path().string(), "/surface/basis", "found a number that is not finite",
                     "finite numbers");
  }
  return result;
}

}  // namespace haptic
