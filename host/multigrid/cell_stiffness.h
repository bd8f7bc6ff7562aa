#pragma once

#include "host/fem/stvk_model.h"
#include "host/multigrid/block_rows.h"
#include "host/multigrid/grid_cells.h"

namespace haptic {

/// K - shift M at rest on the free dofs of a body on grid cells, as StvkModel::stiffness_at_rest
/// and mass up to rounding. Whole cells of a group share one matrix, so that the rows of equal
/// neighbourhoods are equal to the bit.
/// @param cells grid_cells_of(model.mesh())
BlockRows<double> shifted_stiffness(const StvkModel& model, const GridCells& cells, double shift);

}  // namespace haptic
