#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/fem/solid_mesh.h"
#include "tests/host/fem/random_element.h"

namespace haptic {

inline const Material kRubber{1e6, 0.3, 1000.0};

/// Every second element of group 1, or of group 2 where there are three.
inline MaterialGroups alternating(int elements, std::vector<SolidMaterial> materials) {
  MaterialGroups groups{std::move(materials), {}};
  for (int e = 0; e < elements; ++e) {
    groups.of_element.push_back(static_cast<std::uint32_t>(e) %
                                static_cast<std::uint32_t>(groups.materials.size()));
  }
  return groups;
}

/// Vertices of `box` with its layers sheared and bent; x = 0 stays a plane.
inline std::vector<double> skewed_vertices(const SolidMesh& box) {
  std::vector<double> vertices(box.vertices().begin(), box.vertices().end());
  for (std::size_t v = 0; v < vertices.size(); v += 3) {
    vertices[v] += vertices[v] * (3.0 * vertices[v + 1] + 0.5 * vertices[v + 2]);
    vertices[v + 2] += 0.4 * vertices[v] * vertices[v];
  }
  return vertices;
}

/// A 4 x 2 x 3 block of edge 0.1 m of every kind of element and material.
struct Body {
  std::string name;
  SolidMesh mesh;
};

inline std::vector<Body> bodies() {
  const SolidMesh box = make_box_mesh(4, 2, 3, 0.1, kRubber);
  const SolidMesh tets = make_tetrahedral_box_mesh(4, 2, 3, 0.1, kRubber);
  const SolidMaterial stiff = Material{5e6, 0.4, 1500.0}, auxetic = Material{1e6, -0.4, 900.0};
  const SolidMaterial anisotropic(random_elasticity(3, 1e6), 1200.0);
  const auto hexahedra = ElementKind::kHexahedron, tetrahedra = ElementKind::kTetrahedron;
  const int m = box.element_count(), mt = tets.element_count();
  return {
      {"cubes", box},
      {"cubes in groups",
       {hexahedra, box.vertices(), box.elements(), alternating(m, {kRubber, stiff, auxetic})}},
      {"anisotropic cubes",
       {hexahedra, box.vertices(), box.elements(), alternating(m, {anisotropic, kRubber})}},
      {"hexahedra in groups",
       {hexahedra, skewed_vertices(box), box.elements(), alternating(m, {kRubber, stiff})}},
      {"anisotropic hexahedra",
       {hexahedra, skewed_vertices(box), box.elements(), alternating(m, {stiff, anisotropic})}},
      {"tetrahedra", {tetrahedra, skewed_vertices(tets), tets.elements(), kRubber}},
      {"tetrahedra in groups",
       {tetrahedra, skewed_vertices(tets), tets.elements(),
        alternating(mt, {kRubber, auxetic, stiff})}},
      {"anisotropic tetrahedra",
       {tetrahedra, skewed_vertices(tets), tets.elements(),
        alternating(mt, {anisotropic, kRubber, stiff})}},
  };
}

inline std::vector<std::uint32_t> vertices_at_x0(const SolidMesh& mesh) {
  std::vector<std::uint32_t> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (std::abs(mesh.vertex(v).x()) < 1e-12) fixed.push_back(static_cast<std::uint32_t>(v));
  }
  return fixed;
}

}  // namespace haptic
