#include "host/mesh/surface_components.h"

#include <algorithm>

#include "host/mesh/edge_sides.h"

namespace haptic {
namespace {

void measure(const TriangleMesh& mesh, SurfaceComponent& component) {
  // From a point of the surface, so that a mesh far from the origin loses no digits.
  const Vector3 apex = mesh.vertices[mesh.triangles[component.triangles.front()][0]];
  component.box = {apex, apex};
  double volume = 0.0;
  for (const std::uint32_t t : component.triangles) {
    const auto& [i, j, k] = mesh.triangles[t];
    const Vector3 a = mesh.vertices[i] - apex, b = mesh.vertices[j] - apex,
                  c = mesh.vertices[k] - apex;
    for (const std::uint32_t v : {i, j, k}) component.box.include(mesh.vertices[v]);
    component.area += 0.5 * (b - a).cross(c - a).norm();
    volume += a.dot(b.cross(c));
  }
  component.volume = volume / 6.0;
  component.closed = component.closed && volume != 0.0;
}

}  // namespace

std::vector<SurfaceComponent> surface_components(const TriangleMesh& mesh) {
  const std::vector<EdgeSide> sides = sorted_edge_sides(mesh);
  const std::vector<std::uint32_t> of = components_of(mesh.triangles.size(), sides);
  std::vector<SurfaceComponent> components(
      of.empty() ? 0 : *std::max_element(of.begin(), of.end()) + 1);
  for (std::uint32_t t = 0; t < of.size(); ++t) components[of[t]].triangles.push_back(t);
  for (SurfaceComponent& component : components) component.closed = true;
  for_each_edge(sides, [&](std::size_t begin, std::size_t end) {
    if (end - begin == 2 && sides[begin].forward != sides[begin + 1].forward) return;
    components[of[sides[begin].triangle]].closed = false;
  });
  for (SurfaceComponent& component : components) measure(mesh, component);
  return components;
}

void keep_components(TriangleMesh& mesh, const std::vector<SurfaceComponent>& components,
                     const std::vector<bool>& kept) {
  std::vector<bool> dropped(mesh.triangles.size(), false);
  for (std::size_t c = 0; c < components.size(); ++c) {
    if (kept[c]) continue;
    for (const std::uint32_t t : components[c].triangles) dropped[t] = true;
  }
  std::size_t count = 0;
  for (std::size_t t = 0; t < dropped.size(); ++t) {
    if (!dropped[t]) mesh.triangles[count++] = mesh.triangles[t];
  }
  mesh.triangles.resize(count);
}

}  // namespace haptic
