#pragma once

#include <utility>
#include <vector>

#include "host/fem/stvk_model.h"

namespace haptic {

inline const Material kBeamMaterial{1e6, 0.3, 1000.0};

/// nx x ny x nz cubes of edge `h` fixed at x = 0. Most tests take one of two beams: B1 = 20 x 3 x 3
/// and B2 = 20 x 2 x 3 (no equal bending frequencies), h = 0.05 m.
inline StvkModel held_beam(int nx, int ny, int nz, double h = 0.05,
                           const Material& material = kBeamMaterial) {
  SolidMesh mesh = make_box_mesh(nx, ny, nz, h, material);
  std::vector<std::uint32_t> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertex(v).x() < 1e-9) fixed.push_back(static_cast<std::uint32_t>(v));
  }
  return {std::move(mesh), fixed};
}

/// 6 x 3 x 2 cubes of edge 0.05 m that nothing holds, without a mirror plane: corner cubes have
/// other edges, so that Euclidean and mass orthogonality differ.
inline StvkModel lopsided_block() {
  const auto box = make_box_mesh(6, 3, 2, 0.05, kBeamMaterial);
  std::vector<double> vertices(box.vertices().begin(), box.vertices().end());
  for (std::size_t v = 0; v < vertices.size(); v += 3) {
    const double x = vertices[v], y = vertices[v + 1], z = vertices[v + 2];
    vertices[v] += 0.4 * x * y;
    vertices[v + 1] += 0.5 * x * z;
    vertices[v + 2] += 0.6 * x * x * (1.0 + y);
  }
  return {decltype(box)(vertices, box.elements(), kBeamMaterial), {}};
}

}  // namespace haptic
