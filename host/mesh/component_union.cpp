#include "host/mesh/component_union.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "host/mesh/isosurface.h"
#include "host/mesh/mesh_report.h"
#include "host/mesh/self_intersections.h"
#include "host/mesh/surface_components.h"
#include "host/vdb/level_set_union.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// @param origin, spacing of the grid
ClosedPart part_of(const TriangleMesh& mesh, const SurfaceComponent& component,
                   const Vector3& origin, double spacing) {
  ClosedPart part;
  part.is_cavity = component.volume < 0.0;
  std::unordered_map<std::uint32_t, std::uint32_t> ids;
  for (const std::uint32_t t : component.triangles) {
    auto& triangle = part.triangles.emplace_back();
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t v = mesh.triangles[t][c];
      const auto next = static_cast<std::uint32_t>(part.points.size());
      const auto [it, is_new] = ids.try_emplace(v, next);
      if (is_new) {
        const Vector3 at = (mesh.vertices[v] - origin) / spacing;
        part.points.push_back(
            {static_cast<float>(at.x()), static_cast<float>(at.y()), static_cast<float>(at.z())});
      }
      triangle[c] = it->second;
    }
  }
  return part;
}

}  // namespace

SurfaceCrossings find_crossings(const TriangleMesh& mesh) {
  SurfaceCrossings crossings;
  const std::vector<CrossingTriangles> pairs = self_intersections(mesh);
  if (pairs.empty()) return crossings;
  std::vector<std::size_t> component(mesh.triangles.size());
  const std::vector<SurfaceComponent> components = surface_components(mesh);
  for (std::size_t c = 0; c < components.size(); ++c) {
    for (const std::uint32_t t : components[c].triangles) component[t] = c;
  }
  crossings.place = pairs.front().place;
  for (const CrossingTriangles& pair : pairs) {
    const bool same = component[pair.triangles[0]] == component[pair.triangles[1]];
    ++(same ? crossings.within : crossings.between);
  }
  return crossings;
}

TriangleMesh united_components(const TriangleMesh& mesh, double spacing) {
  const std::vector<SurfaceComponent> components = surface_components(mesh);
  std::vector<std::size_t> order(components.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double va = std::abs(components[a].volume), vb = std::abs(components[b].volume);
    return va != vb ? va > vb : a < b;  // a cavity comes after what it is in
  });
  const Vector3 origin = bounding_box(mesh).lower;
  std::vector<ClosedPart> parts;
  for (const std::size_t c : order) parts.push_back(part_of(mesh, components[c], origin, spacing));
  TriangleMesh united = triangles_on_grid(union_surface(parts), origin, spacing);
  if (!clean_mesh(united).closed) {
    throw OperationError("the union of the components of the surface did not come out closed");
  }
  return united;
}

}  // namespace haptic
