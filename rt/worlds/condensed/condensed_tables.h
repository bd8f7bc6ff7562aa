#pragma once

#include <memory>

#include "rt/worlds/condensed/condensed_settings.h"
#include "rt/worlds/scene_tables.h"

namespace haptic::condensed {

/// Reads [condensed] and [contact]. @param core  the scene without these settings
/// @throws InputError as load_scene
std::shared_ptr<const WorldSettings> read_condensed(const TomlTable& root, const Scene& core);

}  // namespace haptic::condensed
