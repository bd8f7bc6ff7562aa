#pragma once

#include <memory>

#include "rt/worlds/cloth/cloth_settings.h"
#include "shared/config/toml_reader.h"

namespace haptic::cloth {

/// Reads [cloth], [[constraint]], [contact] and [touch] (docs/cloth.md).
/// @throws InputError as load_scene
std::shared_ptr<const WorldSettings> read_cloth(const TomlTable& root, const Scene& core);

/// One table [[constraint]]. @throws InputError as load_scene
SceneClothConstraint read_cloth_constraint(const TomlTable& table, std::size_t index);

}  // namespace haptic::cloth
