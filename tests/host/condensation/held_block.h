#pragma once

#include <utility>
#include <vector>

#include "host/fem/stvk_model.h"

namespace haptic {

/// E = 1e4 Pa, nu = 0.3, rho = 1000 kg/m^3: a soft tissue.
inline const Material kTissue{1e4, 0.3, 1000.0};

/// A mesh with its vertices at z = 0 fixed and lumped mass.
inline StvkModel held_at_bottom(SolidMesh mesh, MassKind mass = MassKind::kLumped) {
  std::vector<std::uint32_t> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertex(v).z() < 1e-9) fixed.push_back(static_cast<std::uint32_t>(v));
  }
  return {std::move(mesh), fixed, {.mass = mass}};
}

/// nx x ny x nz cubes, 0.1 m wide along x, on the plane z = 0.
inline StvkModel held_block(int nx, int ny, int nz, const Material& material = kTissue) {
  return held_at_bottom(make_box_mesh(nx, ny, nz, 0.1 / nx, material));
}

inline StvkModel held_tetrahedral_block(int nx, int ny, int nz) {
  return held_at_bottom(make_tetrahedral_box_mesh(nx, ny, nz, 0.1 / nx, kTissue));
}

}  // namespace haptic
