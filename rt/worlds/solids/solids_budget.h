#pragma once

#include <vector>

#include "rt/worlds/world_kind.h"

namespace haptic {

/// One line a contact pair: what a node and a contact cost, and how deep the pair's tree can be
/// rendered within the scene's budget or an equal share of `left_us` [us].
///
/// Takes the calibration of each pair (contact_calibration.h).
std::vector<BudgetLine> measure_solids_budget(const Scene& scene, double left_us,
                                              const Clock& clock);

}  // namespace haptic
