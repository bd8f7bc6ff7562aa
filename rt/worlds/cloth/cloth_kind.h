#pragma once

#include "rt/worlds/world_kind.h"

namespace haptic::cloth {

/// world = "cloth": particles and springs under the hand (docs/cloth.md).
const WorldKind& cloth_world_kind();

}  // namespace haptic::cloth
