#pragma once

#include <memory>

#include "rt/worlds/condensed/condensed_settings.h"
#include "shared/config/key_schema.h"

namespace haptic::condensed {

/// The tables [condensed] and [contact] of a scene (docs/condensed.md).
const KeySchema<CondensedSettings>& condensed_keys();

/// Reads what the condensed body's scene has besides the core. @throws InputError as load_scene
std::shared_ptr<const WorldSettings> read_condensed(const TomlTable& root, const Scene& core);

}  // namespace haptic::condensed
