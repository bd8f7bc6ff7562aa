#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/fem/solid_mesh.h"
#include "host/multigrid/grid_interpolation.h"

namespace haptic {

/// Cells of a regular grid and the nodes at their corners. Two cells that meet at a place of the
/// grid without sharing a node there are not joined: a slit of the body.
struct GridCells {
  using Place = std::array<int, 3>;

  std::vector<Place> places;                          ///< of the cells, from 0 along each axis
  std::vector<std::array<std::uint32_t, 8>> corners;  ///< nodes of the cells, VTK order
  std::uint32_t nodes = 0;
};

/// The cells of a mesh, its vertices as nodes; none unless its elements are equal boxes parallel to
/// the axes on one grid.
std::optional<GridCells> grid_cells_of(const SolidMesh& mesh);

/// The cells at each node: those of node i are cell[a], a from begin[i] to begin[i + 1], ascending.
struct CellsOfNodes {
  explicit CellsOfNodes(const GridCells& cells);
  std::vector<std::uint32_t> begin, cell;
};

/// Cells of twice the edge that cover cells of a grid, and trilinear interpolation from their nodes
/// to the nodes of the fine cells.
///
/// The fine cells within a coarse one that share no node become a coarse cell each, and coarse
/// cells share a corner only where fine cells of both meet: parts of the body on both sides of a
/// gap stay apart however large the cells become. Source: Dick, Georgii & Westermann 2011, "A
/// hexahedral multigrid approach for simulating cuts in deformable objects".
struct CoarseCells {
  GridCells cells;
  GridInterpolation interpolation;  ///< one row per fine node; weights 1, 1/2, 1/4 or 1/8
};
CoarseCells coarsened(const GridCells& fine);

}  // namespace haptic
