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

}  // namespace haptic
