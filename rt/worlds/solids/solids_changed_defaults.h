#pragma once

#include <span>

#include "rt/worlds/changed_defaults.h"

namespace haptic::solids {

/// Defaults of scenes of solids that have changed, oldest first.
std::span<const ChangedDefault> solids_changed_defaults();

}  // namespace haptic::solids
