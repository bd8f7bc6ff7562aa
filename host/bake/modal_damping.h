#pragma once

#include <span>

#include "host/bake/recipe.h"
#include "host/bake/stage_progress.h"
#include "rt/dynamics/rayleigh_damping.h"

namespace haptic {

/// Rayleigh damping with the recipe's damping ratios at the first and the last mode; warns where
/// it cannot have the ratio at the last one (rayleigh_from_damping_ratios).
/// @param eigenvalues k >= 1, ascending, > 0 [s^-2]
RayleighDamping modal_damping(const Recipe& recipe, std::span<const double> eigenvalues,
                              StageProgress& progress);

}  // namespace haptic
