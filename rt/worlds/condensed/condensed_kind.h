#pragma once

#include "rt/worlds/world_kind.h"

namespace haptic::condensed {

/// One body condensed to its surface, and the tool in the hand (condensed_world.h):
/// `world = "condensed"`.
const WorldKind& condensed_world_kind();

}  // namespace haptic::condensed
