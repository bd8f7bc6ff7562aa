#pragma once

#include <cmath>
#include <vector>

#include "host/fem/stvk_model.h"
#include "host/multigrid/grid_cells.h"
#include "tests/host/fem/bodies.h"

namespace haptic {

/// What lies below `filled` of the height (0..1, along z) of a cell of volume 1.
inline CellPart lower_part(double filled) {
  const double top = filled - 0.5;
  CellPart part{};
  part[0] = filled;
  part[3] = 0.5 * (top * top - 0.25);
  part[4] = part[5] = filled / 12.0;
  part[6] = (top * top * top + 0.125) / 3.0;
  return part;
}

/// nx x ny x nz cubes of edge 0.01 m held at x = 0, whose top layer is filled to between a
/// thousandth and the whole, and whose first cells are held in part. @param held false: a free body
inline StvkModel cut_bar(int nx, int ny, int nz, double nu, bool held = true,
                         BodySettings settings = {}) {
  const SolidMesh box = make_box_mesh(nx, ny, nz, 0.01, Material{1e6, nu, 1000.0});
  CellSettings cells{StrainSampling::kAssumed, {}, {}};
  for (int e = 0; e < box.element_count(); ++e) {
    const bool top = e >= nx * ny * (nz - 1);
    const double filled = std::pow(10.0, -3.0 * std::abs(std::sin(0.7 * e)));
    cells.parts.push_back(top ? lower_part(filled) : kWholeCell);
    if (held) cells.held.push_back(e % nx == 0 ? 0.98 * std::abs(std::sin(0.9 * e)) : 0.0);
  }
  SolidMesh mesh(box.vertices(), box.elements(),
                 MaterialGroups{{SolidMaterial(Material{1e6, nu, 1000.0})}, {}}, cells);
  const auto fixed = held ? vertices_at_x0(mesh) : std::vector<std::uint32_t>{};
  return {std::move(mesh), fixed, settings};
}

inline std::vector<int> rows_of(const StvkModel& model) {
  std::vector<int> rows;
  for (int v = 0; v < model.vertex_count(); ++v) rows.push_back(model.free_index(v));
  return rows;
}

}  // namespace haptic
