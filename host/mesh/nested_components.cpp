#include "host/mesh/nested_components.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

#include "host/mesh/edge_sides.h"

namespace haptic {
namespace {

/// Closed, two triangles at every edge, consistently oriented.
struct Component {
  std::vector<std::uint32_t> triangles;
  bool closed = true;
  bool outward = true;  ///< in the file
  double volume = 0.0;  ///< magnitude
  BoundingBox box;
  std::optional<std::size_t> parent;  ///< smallest component around it
  bool turn = false;
  int inside = 1, outside = 0;  ///< winding number of the whole surface on its two sides
};

/// Seen from the origin, positive if the corners run counter-clockwise (van Oosterom, Strackee
/// 1983).
double solid_angle(const Vector3& a, const Vector3& b, const Vector3& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  return 2.0 * std::atan2(a.dot(b.cross(c)),
                          la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
}

/// Winding number about a point: 1 inside a closed outward surface, 0 outside.
double winding(const TriangleMesh& mesh, std::span<const std::uint32_t> triangles,
               const Vector3& p) {
  double sum = 0.0;
  for (const std::uint32_t t : triangles) {
    const auto& [i, j, k] = mesh.triangles[t];
    sum += solid_angle(mesh.vertices[i] - p, mesh.vertices[j] - p, mesh.vertices[k] - p);
  }
  return sum / (4.0 * std::numbers::pi);
}

std::vector<Component> split(const TriangleMesh& mesh) {
  const std::vector<EdgeSide> sides = sorted_edge_sides(mesh);
  const std::vector<std::uint32_t> of = components_of(mesh.triangles.size(), sides);
  std::vector<Component> components(of.empty() ? 0 : *std::max_element(of.begin(), of.end()) + 1);
  for (std::uint32_t t = 0; t < of.size(); ++t) components[of[t]].triangles.push_back(t);
  for_each_edge(sides, [&](std::size_t begin, std::size_t end) {
    if (end - begin == 2 && sides[begin].forward != sides[begin + 1].forward) return;
    components[of[sides[begin].triangle]].closed = false;
  });
  for (Component& component : components) {
    const Vector3 apex = mesh.vertices[mesh.triangles[component.triangles.front()][0]];
    component.box = {apex, apex};
    double volume = 0.0;
    for (const std::uint32_t t : component.triangles) {
      const auto& [i, j, k] = mesh.triangles[t];
      for (const std::uint32_t v : {i, j, k}) {
        component.box.lower = component.box.lower.cwiseMin(mesh.vertices[v]);
        component.box.upper = component.box.upper.cwiseMax(mesh.vertices[v]);
      }
      volume +=
          (mesh.vertices[i] - apex).dot((mesh.vertices[j] - apex).cross(mesh.vertices[k] - apex));
    }
    component.outward = volume >= 0.0;
    component.volume = std::abs(volume) / 6.0;
    component.closed = component.closed && volume != 0.0;
  }
  return components;
}

/// Whether `inner` lies within `outer`: up to 16 of its vertices, spread over it, do.
bool encloses(const TriangleMesh& mesh, const Component& outer, const Component& inner) {
  const bool in_box = (inner.box.lower.array() >= outer.box.lower.array()).all() &&
                      (inner.box.upper.array() <= outer.box.upper.array()).all();
  if (!in_box) return false;
  const std::size_t step = std::max<std::size_t>(1, inner.triangles.size() / 16);
  for (std::size_t i = 0; i < inner.triangles.size(); i += step) {
    const Vector3& p = mesh.vertices[mesh.triangles[inner.triangles[i]][0]];
    if (std::abs(winding(mesh, outer.triangles, p)) < 0.75) return false;  // 0.5 on a plane of it
  }
  return true;
}

void drop(TriangleMesh& mesh, const std::vector<Component>& components) {
  std::vector<bool> dropped(mesh.triangles.size(), false);
  for (const Component& component : components) {
    if (!component.closed || (component.inside > 0) != (component.outside > 0)) continue;
    for (const std::uint32_t t : component.triangles) dropped[t] = true;
  }
  std::size_t kept = 0;
  for (std::size_t t = 0; t < dropped.size(); ++t) {
    if (!dropped[t]) mesh.triangles[kept++] = mesh.triangles[t];
  }
  mesh.triangles.resize(kept);
}

}  // namespace

NestedComponents orient_components(TriangleMesh& mesh) {
  NestedComponents result;
  std::vector<Component> components = split(mesh);
  std::vector<std::size_t> order;  // closed components, the largest first: parents before children
  for (std::size_t c = 0; c < components.size(); ++c) {
    if (components[c].closed) order.push_back(c);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double va = components[a].volume, vb = components[b].volume;
    return va != vb ? va > vb : a < b;
  });
  for (std::size_t n = 0; n < order.size(); ++n) {
    Component& component = components[order[n]];
    for (std::size_t m = n; m-- > 0 && !component.parent;) {
      const Component& outer = components[order[m]];
      if (outer.volume > component.volume && encloses(mesh, outer, component))
        component.parent = order[m];
    }
    component.outside = component.parent ? components[*component.parent].inside : 0;
    // In material, the orientation counts as the file relates it to that of what is around.
    component.turn =
        component.outside > 0 ? components[*component.parent].turn : !component.outward;
    const bool outward = component.outward != component.turn;
    component.inside = component.outside + (outward ? 1 : -1);
    const bool bounds_material = (component.inside > 0) != (component.outside > 0);
    if (!bounds_material) {
      ++result.left_out;
    } else if (component.turn) {
      ++result.turned;
      result.triangles_turned += component.triangles.size();
      for (const std::uint32_t t : component.triangles) {
        std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
      }
    }
  }
  if (result.left_out > 0) drop(mesh, components);
  return result;
}

}  // namespace haptic
