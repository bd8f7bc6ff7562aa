#include "lab/cloth/region_contours.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "rt/worlds/cloth/particle_vectors.h"

namespace haptic::lab {
namespace {

using Contour = std::vector<std::uint32_t>;

struct HalfEdge {
  std::uint32_t from, to, triangle;  // triangle: place in the region
  std::pair<std::uint32_t, std::uint32_t> ends() const { return std::minmax(from, to); }
};

/// Sets of triangles that are joined across edges.
class JoinedTriangles {
 public:
  explicit JoinedTriangles(std::size_t count) : parent_(count), sets_(count) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  void join(std::uint32_t s, std::uint32_t t) {
    s = root(s);
    t = root(t);
    if (s == t) return;
    parent_[s] = t;
    --sets_;
  }
  std::size_t sets() const { return sets_; }

 private:
  std::uint32_t root(std::uint32_t t) {
    while (parent_[t] != t) t = parent_[t] = parent_[parent_[t]];
    return t;
  }
  std::vector<std::uint32_t> parent_;
  std::size_t sets_;
};

/// The border as one line through all its edges; empty if it passes a vertex twice or has parts.
Contour closed_line(std::vector<std::pair<std::uint32_t, std::uint32_t>> border) {
  std::sort(border.begin(), border.end());
  for (std::size_t k = 1; k < border.size(); ++k) {
    if (border[k].first == border[k - 1].first) return {};
  }
  Contour line;
  if (border.empty()) return line;
  std::uint32_t here = border[0].first;
  do {
    line.push_back(here);
    const auto next = std::lower_bound(border.begin(), border.end(), std::pair(here, 0u));
    if (next == border.end() || next->first != here) return {};
    here = next->second;
  } while (here != border[0].first && line.size() <= border.size());
  return line.size() == border.size() ? line : Contour{};
}

/// Contour of a set of triangles, empty if these are not a disk.
Contour contour_of(std::span<const cloth::TriangleCorners> triangles) {
  std::vector<HalfEdge> edges;
  std::vector<std::uint32_t> particles;
  for (std::uint32_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      edges.push_back({triangles[t][k], triangles[t][(k + 1) % 3], t});
      particles.push_back(triangles[t][k]);
    }
  }
  std::sort(edges.begin(), edges.end(), [](const HalfEdge& a, const HalfEdge& b) {
    return std::tuple(a.ends(), a.from) < std::tuple(b.ends(), b.from);
  });
  std::sort(particles.begin(), particles.end());
  particles.erase(std::unique(particles.begin(), particles.end()), particles.end());
  JoinedTriangles joined(triangles.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> border;
  std::size_t edge_count = 0;
  for (std::size_t k = 0; k < edges.size(); ++edge_count) {
    std::size_t end = k + 1;
    while (end < edges.size() && edges[end].ends() == edges[k].ends()) ++end;
    if (end - k > 2 || (end - k == 2 && edges[k].from == edges[k + 1].from)) return {};
    if (end - k == 1) {
      border.emplace_back(edges[k].from, edges[k].to);
    } else {
      joined.join(edges[k].triangle, edges[k + 1].triangle);
    }
    k = end;
  }
  if (joined.sets() != 1 || particles.size() + triangles.size() != edge_count + 1) return {};
  return closed_line(std::move(border));
}

struct Point2 {
  double x, y;
};

double cross(const Point2& a, const Point2& b, const Point2& c) HAPTIC_REALTIME {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// Whether c and d are both on one side of the line through a and b, by more than `margin` times
/// the distance of a and b.
bool on_one_side(const Point2& a, const Point2& b, const Point2& c, const Point2& d,
                 double margin) HAPTIC_REALTIME {
  const double length = std::sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
  const double to_c = cross(a, b, c), to_d = cross(a, b, d), least = margin * length;
  return (to_c > least && to_d > least) || (to_c < -least && to_d < -least);
}

bool boxes_apart(const Point2& a, const Point2& b, const Point2& c, const Point2& d,
                 double margin) HAPTIC_REALTIME {
  return std::min(c.x, d.x) > std::max(a.x, b.x) + margin ||
         std::min(a.x, b.x) > std::max(c.x, d.x) + margin ||
         std::min(c.y, d.y) > std::max(a.y, b.y) + margin ||
         std::min(a.y, b.y) > std::max(c.y, d.y) + margin;
}

/// Whether the line a, b, c turns back on itself at b.
bool turns_back(const Point2& a, const Point2& b, const Point2& c) HAPTIC_REALTIME {
  const double ux = b.x - a.x, uy = b.y - a.y, wx = c.x - b.x, wy = c.y - b.y;
  const double along = ux * wx + uy * wy, across = std::abs(ux * wy - uy * wx);
  return !(along > 0.0) && !(across > 1e-9 * std::sqrt((ux * ux + uy * uy) * (wx * wx + wy * wy)));
}

}  // namespace

RegionContours::RegionContours(const cloth::HierarchyTopology& nodes)
    : begin_(nodes.size() + 1, 0) {
  std::vector<cloth::TriangleCorners> region;
  for (std::uint32_t node = 0; node < nodes.size(); ++node) {
    if (!nodes.is_leaf(node)) {
      region.clear();
      for (std::uint32_t below = nodes.first_child(node); below != nodes.after(node);) {
        if (nodes.is_leaf(below)) region.push_back(nodes.triangles()[nodes.triangle(below)]);
        below = nodes.is_leaf(below) ? nodes.after(below) : nodes.first_child(below);
      }
      const Contour line = contour_of(region);
      particles_.insert(particles_.end(), line.begin(), line.end());
      longest_ = std::max(longest_, line.size());
    }
    begin_[node + 1] = particles_.size();
  }
}

bool is_simple_along(const Vector3& direction, std::span<const std::uint32_t> contour,
                     std::span<const double> x, std::span<double> seen) HAPTIC_REALTIME {
  const std::size_t count = contour.size();
  if (count < 3) return false;
  // Axes across the direction; the first is away from its largest component.
  Eigen::Index smallest = 0;
  direction.cwiseAbs().minCoeff(&smallest);
  Vector3 u = Vector3::Unit(smallest);
  u -= u.dot(direction) * direction;
  u /= std::sqrt(u.squaredNorm());
  const Vector3 w = direction.cross(u);
  const Vector3 origin = cloth::at(x, contour[0]);
  double size = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const Vector3 p = cloth::at(x, contour[k]) - origin;
    seen[2 * k] = p.dot(u);
    seen[2 * k + 1] = p.dot(w);
    size = std::max({size, std::abs(seen[2 * k]), std::abs(seen[2 * k + 1])});
  }
  const auto point = [&](std::size_t k) {
    const std::size_t i = k < count ? k : k - count;
    return Point2{seen[2 * i], seen[2 * i + 1]};
  };
  const double margin = 1e-9 * size;
  for (std::size_t k = 0; k < count; ++k) {
    if (turns_back(point(k), point(k + 1), point(k + 2))) return false;
  }
  for (std::size_t k = 0; k < count; ++k) {
    const Point2 a = point(k), b = point(k + 1);
    const std::size_t end = k == 0 ? count - 1 : count;  // the last edge is next to the first
    for (std::size_t m = k + 2; m < end; ++m) {
      const Point2 c = point(m), d = point(m + 1);
      if (boxes_apart(a, b, c, d, margin)) continue;
      if (!on_one_side(a, b, c, d, margin) && !on_one_side(c, d, a, b, margin)) return false;
    }
  }
  return true;
}

}  // namespace haptic::lab
