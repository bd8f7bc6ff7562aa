#pragma once

#include <random>

#include "host/fem/solid_mesh.h"
#include "host/mesh/tetrahedral_mesh.h"

namespace haptic {

/// nx x ny x nz cubes of edge h, six tetrahedra each, inner and outer vertices pushed by up to
/// `push` h in each axis.
inline TetrahedralMesh tetrahedral_block(int nx, int ny, int nz, double h, double push = 0.2) {
  const SolidMesh box = make_tetrahedral_box_mesh(nx, ny, nz, h, Material{1e6, 0.3, 1000.0});
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-push * h, push * h);
  TetrahedralMesh mesh;
  for (int v = 0; v < box.vertex_count(); ++v) {
    const double x = uniform(random), y = uniform(random), z = uniform(random);
    mesh.vertices.push_back(box.vertex(v) + Vector3(x, y, z));
  }
  for (int e = 0; e < box.element_count(); ++e) {
    const auto ids = box.element(e);
    mesh.tetrahedra.push_back({ids[0], ids[1], ids[2], ids[3]});
  }
  return mesh;
}

}  // namespace haptic
