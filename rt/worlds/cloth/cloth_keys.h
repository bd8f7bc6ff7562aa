#pragma once

#include <memory>

#include "rt/worlds/cloth/cloth_settings.h"
#include "shared/config/key_schema.h"

namespace haptic::cloth {

/// The tables [cloth], [[wind_shadow]], [[constraint]], [contact] and [touch] of a scene
/// (docs/cloth.md).
const KeySchema<ClothSettings>& cloth_keys();

/// One table [[constraint]].
const KeySchema<SceneClothConstraint>& cloth_constraint_keys();

/// Reads what the cloth's scene has besides the core. @throws InputError as load_scene
std::shared_ptr<const WorldSettings> read_cloth(const TomlTable& root, const Scene& core);

}  // namespace haptic::cloth
