#pragma once

#include <string_view>

#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/config/toml_reader.h"

namespace haptic {

/// The range of a parameter that a scene gives its first value.
inline NumberRange range_of(const World::Parameter& parameter, std::string_view unit) {
  return NumberRange::between(parameter.minimum, parameter.maximum, unit);
}

// The tables of a scene file that all kinds of world share. Each throws InputError as load_scene
// does.

HeldBodySettings read_coupling(const TomlTable& table);
PassivitySettings read_passivity(const TomlTable& table);
ServoLimits read_limits(const TomlTable& table);
SceneDevice read_device(const TomlTable& table);

}  // namespace haptic
