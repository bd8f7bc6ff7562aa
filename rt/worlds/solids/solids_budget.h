#pragma once

#include <vector>

#include "rt/worlds/world_kind.h"

namespace haptic::solids {

/// One line for each contact pair: the cost of a node and of a contact, and the finest tree level
/// that fits into the scene's budget, or into an equal part of `left_us` [us] without a budget.
///
/// Calibrates each pair (contact_calibration.h).
std::vector<BudgetLine> measure_solids_budget(const Scene& scene, double left_us,
                                              const Clock& clock);

}  // namespace haptic::solids
