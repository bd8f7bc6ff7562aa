#include "rt/worlds/condensed/near_surface.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace haptic::condensed {

namespace {

/// The corner of a triangle that is nearest to a point of it is nearer than 0.58 times the longest
/// edge.
constexpr double kBeyondCorners = 1.5;

/// Displacement of the node that has moved furthest [m].
double furthest(std::span<const double> from, std::span<const double> to) HAPTIC_REALTIME {
  double squared = 0.0;
  for (std::size_t i = 0; i + 2 < to.size(); i += 3) {
    const double x = to[i] - from[i], y = to[i + 1] - from[i + 1], z = to[i + 2] - from[i + 2];
    squared = std::max(squared, x * x + y * y + z * z);
  }
  return std::sqrt(squared);
}

}  // namespace

void NearSurface::Marks::add(std::uint32_t index) HAPTIC_REALTIME {
  marked_[index] = 1;
  first_ = std::min<std::size_t>(first_, index);
  last_ = std::max<std::size_t>(last_, index);
}

void NearSurface::Marks::list() HAPTIC_REALTIME {
  count_ = 0;
  for (std::size_t i = first_; i <= last_ && i < marked_.size(); ++i) {
    if (marked_[i] == 0) continue;
    indices_[count_++] = static_cast<std::uint32_t>(i);
    marked_[i] = 0;
  }
  first_ = ~std::size_t{0};
  last_ = 0;
}

NearSurface::NearSurface(const CondensedSurface& surface)
    : surface_(&surface),
      u_(surface.model().dof(), 0.0),
      vertices_(surface.vertex_count()),
      triangles_(surface.triangle_count()),
      tried_(surface.triangle_count()) {
  make_clusters();
}

void NearSurface::make_clusters() {
  using Nodes = std::array<std::uint32_t, CondensedModel::kCorners>;
  std::map<Nodes, std::vector<std::uint32_t>> groups;
  for (std::uint32_t v = 0; v < surface_->vertex_count(); ++v) {
    Nodes nodes;
    const auto first = surface_->model().embedding_nodes.begin() +
                       static_cast<std::ptrdiff_t>(CondensedModel::kCorners * std::size_t{v});
    std::copy_n(first, CondensedModel::kCorners, nodes.begin());
    groups[nodes].push_back(v);
  }
  for (const auto& [nodes, vertices] : groups) {
    Cluster cluster{nodes, Vector3::Zero(), 0.0, order_.size(), vertices.size()};
    for (const std::uint32_t v : vertices) {
      cluster.centre += surface_->rest(v) / static_cast<double>(vertices.size());
    }
    for (const std::uint32_t v : vertices) {
      cluster.radius = std::max(cluster.radius, (surface_->rest(v) - cluster.centre).norm());
      order_.push_back(v);
    }
    clusters_.push_back(cluster);
  }
}

void NearSurface::update(const Vector3& centre, double radius,
                         std::span<const double> u) HAPTIC_REALTIME {
  if (listed_ && holds(centre, radius, u)) return;
  centre_ = centre;
  radius_ = radius;
  margin_ = std::max(0.5 * surface_->longest_edge(), 0.25 * radius);
  std::copy(u.begin(), u.end(), u_.begin());
  list(radius + margin_);
  listed_ = true;
}

bool NearSurface::holds(const Vector3& centre, double radius,
                        std::span<const double> u) const HAPTIC_REALTIME {
  const double grown = std::max(0.0, radius - radius_);
  return (centre - centre_).norm() + grown + furthest(u_, u) <= margin_;
}

/// Whether a vertex of the cluster can be within `reach`. Each moves by a weighted mean of the
/// displacements of the nodes, a fixed node by zero.
bool NearSurface::may_reach(const Cluster& cluster, double reach) const HAPTIC_REALTIME {
  std::array<Vector3, CondensedModel::kCorners> moved;
  Vector3 mean = Vector3::Zero();
  for (std::size_t k = 0; k < moved.size(); ++k) {
    const std::uint32_t node = cluster.nodes[k];
    moved[k].setZero();
    if (node != CondensedModel::kFixedNode) {
      const double* const d = &u_[3 * std::size_t{node}];
      moved[k] = {d[0], d[1], d[2]};
    }
    mean += moved[k] / static_cast<double>(moved.size());
  }
  double spread = 0.0;
  for (const Vector3& d : moved) spread = std::max(spread, (d - mean).squaredNorm());
  return (cluster.centre + mean - centre_).norm() <= reach + cluster.radius + std::sqrt(spread);
}

void NearSurface::add_triangles(std::uint32_t vertex, double reach) HAPTIC_REALTIME {
  for (const std::uint32_t t : surface_->faces(vertex)) {
    if (tried_.has(t)) continue;
    tried_.add(t);
    const auto v = surface_->corners(t);
    const Vector3 a = surface_->position(v[0], u_), b = surface_->position(v[1], u_),
                  c = surface_->position(v[2], u_);
    const Vector3 nearest = nearest_weights(centre_, a, b, c);
    const Vector3 point = nearest[0] * a + nearest[1] * b + nearest[2] * c;
    if ((point - centre_).squaredNorm() > reach * reach) continue;
    triangles_.add(t);
    for (const std::uint32_t corner : v) vertices_.add(corner);
  }
}

void NearSurface::list(double reach) HAPTIC_REALTIME {
  const double wide = reach + kBeyondCorners * surface_->longest_edge();
  for (const Cluster& cluster : clusters_) {
    if (!may_reach(cluster, wide)) continue;
    for (std::size_t i = cluster.first; i < cluster.first + cluster.count; ++i) {
      const std::uint32_t v = order_[i];
      const double squared = (surface_->position(v, u_) - centre_).squaredNorm();
      if (squared > wide * wide) continue;
      if (squared <= reach * reach) vertices_.add(v);
      add_triangles(v, reach);
    }
  }
  vertices_.list();
  triangles_.list();
  tried_.list();
}

}  // namespace haptic::condensed
