#pragma once

#include <string_view>

#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/config/toml_reader.h"

namespace haptic {

/// Range of a parameter whose initial value is in the scene file.
inline NumberRange range_of(const World::Parameter& parameter, std::string_view unit) {
  return NumberRange::between(parameter.minimum, parameter.maximum, unit);
}

// Readers of the scene-file tables that all kinds of world share. Each throws InputError as
// load_scene does.

HeldBodySettings read_coupling(const TomlTable& table);
PassivitySettings read_passivity(const TomlTable& table);
ServoLimits read_limits(const TomlTable& table);
SceneDevice read_device(const TomlTable& table);

}  // namespace haptic
