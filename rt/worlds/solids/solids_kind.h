#pragma once

#include "rt/worlds/world_kind.h"

namespace haptic::solids {

/// Rigid and reduced-deformable bodies with contact pairs (solids_world.h): `world = "solids"`.
const WorldKind& solids_world_kind();

}  // namespace haptic::solids
