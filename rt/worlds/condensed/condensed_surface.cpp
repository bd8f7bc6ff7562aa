#include "rt/worlds/condensed/condensed_surface.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "shared/error.h"

namespace haptic::condensed {

namespace {

constexpr double kCreaseCosine = 0.766;  // 40 degrees

}  // namespace

CondensedSurface::CondensedSurface(const CondensedModel& model, const std::string& source)
    : model_(&model), across_(3 * model.triangle_count(), kNone) {
  if (model.triangle_count() == 0) {
    throw InputError(source, "/surface/triangles", "found none", "the surface of the body");
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> edges;
  for (std::size_t t = 0; t < model.triangle_count(); ++t) {
    const std::array<std::uint32_t, 3> v = corners(static_cast<std::uint32_t>(t));
    for (std::size_t k = 0; k < 3; ++k) {
      const std::uint32_t a = v[(k + 1) % 3], b = v[(k + 2) % 3];
      longest_edge_ = std::max(longest_edge_, (rest(a) - rest(b)).norm());
      // The neighbour runs through the edge the other way round.
      const auto other = edges.find({b, a});
      if (other == edges.end()) {
        edges.emplace(std::pair(a, b), 3 * t + k);
        continue;
      }
      across_[3 * t + k] = static_cast<std::uint32_t>(other->second / 3);
      across_[other->second] = static_cast<std::uint32_t>(t);
      edges.erase(other);
    }
  }
  faces_begin_.assign(model.vertex_count() + 1, 0);
  for (const std::uint32_t v : model.triangles) ++faces_begin_[v + 1];
  for (std::size_t v = 0; v < model.vertex_count(); ++v) faces_begin_[v + 1] += faces_begin_[v];
  faces_of_.resize(model.triangles.size());
  std::vector<std::uint32_t> next(faces_begin_.begin(), faces_begin_.end() - 1);
  for (std::size_t i = 0; i < model.triangles.size(); ++i) {
    faces_of_[next[model.triangles[i]]++] = static_cast<std::uint32_t>(i / 3);
  }
  for (std::uint32_t t = 0; t < model.triangle_count(); ++t) {
    const std::array<std::uint32_t, 3> v = corners(t);
    const Vector3 a = rest(v[0]);
    rest_normals_.push_back((rest(v[1]) - a).cross(rest(v[2]) - a).normalized());
  }
}

Vector3 CondensedSurface::displacement(std::uint32_t vertex,
                                       std::span<const double> u) const HAPTIC_REALTIME {
  const std::size_t first = CondensedModel::kCorners * std::size_t{vertex};
  Vector3 moved = Vector3::Zero();
  for (std::size_t i = first; i < first + CondensedModel::kCorners; ++i) {
    const std::uint32_t node = model_->embedding_nodes[i];
    if (node == CondensedModel::kFixedNode) continue;
    const double weight = model_->embedding_weights[i];
    const double* const d = &u[3 * std::size_t{node}];
    moved += weight * Vector3(d[0], d[1], d[2]);
  }
  return moved;
}

Vector3 CondensedSurface::area_normal(std::uint32_t triangle,
                                      std::span<const double> u) const HAPTIC_REALTIME {
  const std::array<std::uint32_t, 3> v = corners(triangle);
  const Vector3 a = position(v[0], u);
  return (position(v[1], u) - a).cross(position(v[2], u) - a);
}

bool CondensedSurface::creased(std::uint32_t one, std::uint32_t other) const HAPTIC_REALTIME {
  return !(rest_normals_[one].dot(rest_normals_[other]) > kCreaseCosine);
}

Vector3 CondensedSurface::smooth_normal(std::uint32_t triangle, const Vector3& weights,
                                        std::span<const double> u) const HAPTIC_REALTIME {
  Vector3 normal = Vector3::Zero();
  const std::array<std::uint32_t, 3> v = corners(triangle);
  for (std::size_t k = 0; k < 3; ++k) {
    Vector3 sum = Vector3::Zero();
    for (std::uint32_t i = faces_begin_[v[k]]; i < faces_begin_[v[k] + 1]; ++i) {
      if (!creased(triangle, faces_of_[i])) sum += area_normal(faces_of_[i], u);
    }
    normal += weights[static_cast<Eigen::Index>(k)] * sum.normalized();
  }
  const double length = normal.norm();
  return length > 0.0 ? Vector3(normal / length) : rest_normals_[triangle];
}

Vector3 position(const CondensedSurface& surface, const SurfacePoint& point,
                 std::span<const double> u) HAPTIC_REALTIME {
  const std::array<std::uint32_t, 3> v = surface.corners(point.triangle);
  return point.weights[0] * surface.position(v[0], u) +
         point.weights[1] * surface.position(v[1], u) +
         point.weights[2] * surface.position(v[2], u);
}

Vector3 rest_position(const CondensedSurface& surface, const SurfacePoint& point) HAPTIC_REALTIME {
  const auto v = surface.corners(point.triangle);
  return point.weights[0] * surface.rest(v[0]) + point.weights[1] * surface.rest(v[1]) +
         point.weights[2] * surface.rest(v[2]);
}

namespace {

/// Nearest point of the segment from a to b: its weight of b.
double along_segment(const Vector3& p, const Vector3& a, const Vector3& b) HAPTIC_REALTIME {
  const Vector3 ab = b - a;
  const double length2 = ab.squaredNorm();
  return length2 > 0.0 ? std::clamp((p - a).dot(ab) / length2, 0.0, 1.0) : 0.0;
}

Eigen::Index least_of(const Vector3& v) HAPTIC_REALTIME {
  const Eigen::Index least = v[1] < v[0] ? 1 : 0;
  return v[2] < v[least] ? 2 : least;
}

/// Weights of the projection of p onto the plane of a, b, c; of a triangle without area, those of
/// its first corner.
Vector3 plane_weights(const Vector3& p, const Vector3& a, const Vector3& b,
                      const Vector3& c) HAPTIC_REALTIME {
  const Vector3 normal = (b - a).cross(c - a);
  const double area2 = normal.squaredNorm();
  if (!(area2 > 0.0)) return Vector3::UnitX();
  const double wb = (p - a).cross(c - a).dot(normal) / area2;
  const double wc = (b - a).cross(p - a).dot(normal) / area2;
  return {1.0 - wb - wc, wb, wc};
}

}  // namespace

Vector3 nearest_weights(const Vector3& p, const Vector3& a, const Vector3& b,
                        const Vector3& c) HAPTIC_REALTIME {
  const Vector3 inside = plane_weights(p, a, b, c);
  if (inside[least_of(inside)] >= 0.0) return inside;
  const Vector3 corners[3] = {a, b, c};
  Vector3 best = Vector3::UnitX();
  double nearest = (p - a).squaredNorm();
  for (Eigen::Index k = 0; k < 3; ++k) {
    const Eigen::Index next = (k + 1) % 3;
    const double t = along_segment(p, corners[k], corners[next]);
    const double distance = (p - (1.0 - t) * corners[k] - t * corners[next]).squaredNorm();
    if (distance > nearest) continue;
    nearest = distance;
    best.setZero();
    best[k] = 1.0 - t;
    best[next] = t;
  }
  return best;
}

SurfacePoint walked(const CondensedSurface& surface, SurfacePoint from, const Vector3& p,
                    std::span<const double> u) HAPTIC_REALTIME {
  std::uint32_t at = from.triangle, last = CondensedSurface::kNone;
  double reached = 0.0;
  for (int step = 0; step < kMaxWalk; ++step) {
    const std::array<std::uint32_t, 3> v = surface.corners(at);
    const Vector3 a = surface.position(v[0], u), b = surface.position(v[1], u),
                  c = surface.position(v[2], u);
    const Vector3 weights = nearest_weights(p, a, b, c);
    const double distance = (weights[0] * a + weights[1] * b + weights[2] * c - p).squaredNorm();
    if (step == 0 || distance < reached) {
      reached = distance;
      from = {at, weights};
    }
    // Across the edge beyond which the projection of p lies furthest; not back, as at a ridge.
    const Vector3 plane = plane_weights(p, a, b, c);
    const Eigen::Index corner = least_of(plane);
    if (plane[corner] >= 0.0) break;
    const std::uint32_t next = surface.across(at, static_cast<std::size_t>(corner));
    if (next == CondensedSurface::kNone || next == last) break;
    last = at;
    at = next;
  }
  return from;
}

}  // namespace haptic::condensed
