#include "host/mesh/self_intersections.h"

#include <algorithm>
#include <optional>

#include "host/mesh/triangle_tree.h"

namespace haptic {
namespace {

using Corners = TriangleTree::Corners;

/// Six times the volume of the tetrahedron (a, b, c, d).
double volume(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
  return (b - a).cross(c - a).dot(d - a);
}

/// Where the segment pq passes through a triangle; both ends must lie off its plane.
std::optional<Vector3> passage(const Vector3& p, const Vector3& q, const Corners& t) {
  constexpr double kRounding = 1e-12;
  const double size =
      std::max({(t[1] - t[0]).norm(), (t[2] - t[0]).norm(), (q - p).norm(), (p - t[0]).norm()});
  const double least = kRounding * size * size * size;
  const double above = volume(t[0], t[1], t[2], p), below = volume(t[0], t[1], t[2], q);
  const bool passes = (above > least && below < -least) || (above < -least && below > least);
  if (!passes) return std::nullopt;
  const double side = above > 0.0 ? -1.0 : 1.0;
  for (std::size_t c = 0; c < 3; ++c) {
    if (side * volume(p, q, t[c], t[(c + 1) % 3]) < -least) return std::nullopt;
  }
  return p + above / (above - below) * (q - p);
}

std::optional<Vector3> crossing(const Corners& a, const Corners& b) {
  for (std::size_t c = 0; c < 3; ++c) {
    if (const auto at = passage(a[c], a[(c + 1) % 3], b)) return at;
    if (const auto at = passage(b[c], b[(c + 1) % 3], a)) return at;
  }
  return std::nullopt;
}

bool share_a_vertex(const std::array<std::uint32_t, 3>& a, const std::array<std::uint32_t, 3>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](std::uint32_t v) { return std::find(b.begin(), b.end(), v) != b.end(); });
}

}  // namespace

std::vector<CrossingTriangles> self_intersections(const TriangleMesh& mesh) {
  const TriangleTree tree(mesh);
  std::vector<CrossingTriangles> found;
  tree.for_each_overlap([&](std::uint32_t s, std::uint32_t t) {
    if (share_a_vertex(mesh.triangles[s], mesh.triangles[t])) return;
    if (const auto at = crossing(tree.corners_of(s), tree.corners_of(t))) {
      found.push_back({{s, t}, *at});
    }
  });
  std::sort(found.begin(), found.end(),
            [](const auto& x, const auto& y) { return x.triangles < y.triangles; });
  return found;
}

}  // namespace haptic
