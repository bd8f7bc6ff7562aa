#include "host/mesh/polygon_triangles.h"

#include <algorithm>

namespace haptic {
namespace {

using Point = Eigen::Vector2d;

double cross(const Point& a, const Point& b, const Point& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

/// The polygon in the coordinate plane that it is most parallel to, counter-clockwise.
std::vector<Point> flattened(std::span<const Vector3> corners) {
  Vector3 normal = Vector3::Zero();
  for (std::size_t c = 1; c + 1 < corners.size(); ++c) {
    normal += (corners[c] - corners[0]).cross(corners[c + 1] - corners[0]);
  }
  int axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  const int u = (axis + 1) % 3, v = (axis + 2) % 3;
  const bool turned = normal[axis] < 0.0;
  std::vector<Point> points;
  points.reserve(corners.size());
  for (const Vector3& corner : corners) {
    const Vector3 from_first = corner - corners[0];
    points.emplace_back(from_first[turned ? v : u], from_first[turned ? u : v]);
  }
  return points;
}

/// A ring of corners from which ears are cut.
class EarCutter {
 public:
  explicit EarCutter(std::vector<Point> points)
      : points_(std::move(points)), ring_(points_.size()) {
    const auto n = static_cast<std::uint32_t>(ring_.size());
    for (std::uint32_t i = 0; i < n; ++i) ring_[i] = {(i + n - 1) % n, (i + 1) % n, false, false};
    judge_all();
  }

  void cut(std::vector<std::array<std::uint32_t, 3>>& triangles) {
    // An ear may appear away from the last cut; looked for a few times, so that cost stays bounded.
    int searches_left = 8;
    std::uint32_t at = 1;
    std::size_t left = ring_.size(), refused = 0;
    while (left > 3) {
      if (refused > left) {
        if (searches_left-- == 0 || !judge_all()) break;
        refused = 0;
      }
      const Corner corner = ring_[at];
      if (!corner.is_ear) {
        at = corner.next;
        ++refused;
        continue;
      }
      triangles.push_back({corner.previous, at, corner.next});
      ring_[corner.previous].next = corner.next;
      ring_[corner.next].previous = corner.previous;
      judge(corner.previous);
      judge(corner.next);
      at = corner.next;
      refused = 0;
      --left;
    }
    const std::uint32_t first = ring_[at].previous;
    for (std::uint32_t i = at; ring_[i].next != first; i = ring_[i].next) {
      triangles.push_back({first, i, ring_[i].next});
    }
  }

 private:
  struct Corner {
    std::uint32_t previous, next;
    bool is_reflex, is_ear;
  };

  bool is_convex(std::uint32_t i) const {
    return cross(points_[ring_[i].previous], points_[i], points_[ring_[i].next]) > 0.0;
  }

  /// Whether a corner is an ear: convex, without any reflex corner in its triangle.
  void judge(std::uint32_t i) {
    Corner& corner = ring_[i];
    const bool convex = is_convex(i);
    if (corner.is_reflex && convex) std::erase(reflex_, i);
    corner.is_reflex = corner.is_reflex && !convex;
    const Point &a = points_[corner.previous], &b = points_[i], &c = points_[corner.next];
    corner.is_ear =
        convex && std::none_of(reflex_.begin(), reflex_.end(), [&](std::uint32_t r) {
          const Point& p = points_[r];
          if (!ring_[r].is_reflex || p == a || p == b || p == c) return false;
          return cross(a, b, p) >= 0.0 && cross(b, c, p) >= 0.0 && cross(c, a, p) >= 0.0;
        });
  }

  /// @returns whether any corner of what is left is an ear
  bool judge_all() {
    reflex_.clear();
    std::uint32_t first = 0;
    while (ring_[ring_[first].previous].next != first) ++first;  // one that is left
    std::uint32_t i = first;
    do {
      ring_[i].is_reflex = !is_convex(i);
      if (ring_[i].is_reflex) reflex_.push_back(i);
      i = ring_[i].next;
    } while (i != first);
    bool any = false;
    do {
      judge(i);
      any = any || ring_[i].is_ear;
      i = ring_[i].next;
    } while (i != first);
    return any;
  }

  std::vector<Point> points_;
  std::vector<Corner> ring_;
  std::vector<std::uint32_t> reflex_;
};

}  // namespace

void triangulate_polygon(std::span<const Vector3> corners,
                         std::vector<std::array<std::uint32_t, 3>>& triangles) {
  if (corners.size() == 3) {
    triangles.push_back({0, 1, 2});
    return;
  }
  EarCutter(flattened(corners)).cut(triangles);
}

}  // namespace haptic
