#pragma once

#include <string_view>

#include "rt/worlds/parameter_ranges.h"
#include "rt/worlds/scene.h"
#include "shared/config/toml_reader.h"

namespace haptic {

/// The range of a parameter that a scene gives its first value.
inline NumberRange range_of(ReducedWorldParameter parameter, std::string_view unit) {
  const World::Parameter& p = kReducedWorldParameters[parameter];
  return NumberRange::between(p.minimum, p.maximum, unit);
}

// The tables of a scene file. Each throws InputError as load_scene does.

/// @param scene  the bodies, and the contacts before this one
SceneContact read_contact(const TomlTable& table, const Scene& scene);
BodyDynamics read_dynamics(const TomlTable& table);
HeldBodySettings read_coupling(const TomlTable& table);
PassivitySettings read_passivity(const TomlTable& table);
SceneLimits read_limits(const TomlTable& table);
SceneDevice read_device(const TomlTable& table);

}  // namespace haptic
