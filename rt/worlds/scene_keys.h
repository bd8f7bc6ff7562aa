#pragma once

#include <span>

#include "rt/worlds/scene.h"
#include "shared/config/key_schema.h"

namespace haptic {

/// The key `world` of a scene, which decides what others it has.
const KeySchema<Scene>& world_key();

/// The other keys that scenes of every kind of world have.
const KeySchema<Scene>& scene_keys();

/// Descriptions of both.
std::span<const KeyGroup> scene_core_keys();

/// The keys that scenes of this kind have besides; of a kind without descriptions none.
KeyGroup scene_keys_of(const WorldKind& kind);

}  // namespace haptic
