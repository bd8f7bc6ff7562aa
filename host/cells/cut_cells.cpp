#include "host/cells/cut_cells.h"

#include <algorithm>
#include <cmath>

#include "host/cells/cell_moments.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// Rounding of a cell's moments: those of a whole cell are its exact numbers.
constexpr double kRounding = 1e-9;

bool is_whole(const CellPart& part) {
  for (std::size_t m = 0; m < part.size(); ++m) {
    if (std::abs(part[m] - kWholeCell[m]) > kRounding) return false;
  }
  return true;
}

}  // namespace

CutCells cut_cells(const TriangleMesh& surface, const VoxelMesh& grid) {
  const std::vector<CellPart> all = cell_moments(surface, grid);
  std::vector<std::uint8_t> keep(all.size());
  std::ranges::transform(all, keep.begin(), [](const CellPart& part) {
    return static_cast<std::uint8_t>(part[0] >= kMinPart);
  });
  if (std::ranges::count(keep, 1) == 0) {
    throw InputError("", "", "found no voxel with material", "a closed surface, outward");
  }
  CutCells cells{with_elements(grid, keep), {}, 0};
  cells.parts.reserve(cells.grid.elements.size());
  for (const std::uint32_t cell : cells.grid.cell_of_element) {
    CellPart part = all[grid.element_of_cell[cell]];
    // Surfaces that overlap count their common space twice.
    if (is_whole(part) || part[0] > 1.0) part = kWholeCell;
    cells.cut += part == kWholeCell ? 0 : 1;
    cells.parts.push_back(part);
  }
  return cells;
}

}  // namespace haptic
