#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "rt/worlds/changed_defaults.h"
#include "shared/config/toml_reader.h"

namespace haptic {

/// Whether a scene leaves a key of [coupling] untyped, or has no such table.
inline bool lacks_coupling_key(const TomlTable& root, std::string_view key) {
  const std::optional<TomlTable> coupling = root.optional_table("coupling");
  return !coupling || !coupling->has(key);
}

/// The row of the static damping. @param concerns  whether it matters in a scene
inline constexpr ChangedDefault changed_static_damping(
    decltype(ChangedDefault::concerns) concerns) {
  return {2,
          "coupling.static_damping",
          "static_damping = 0.5",
          "0 in the air",
          "the held body follows the hand at once, without drag in the air",
          concerns};
}

/// Whether a scene leaves the static damping untyped where its mode has one.
inline bool lacks_static_damping(const Scene& scene, const TomlTable& root) {
  return scene.coupling.mode == CouplingMode::kStatic && lacks_coupling_key(root, "static_damping");
}

/// The rows of [coupling] in worlds that find contact at any speed: of condensed bodies and cloth.
inline const std::array<ChangedDefault, 2> kChangedCoupling = {{
    {2, "coupling.max_speed", "max_speed = 0.6", "none",
     "the tool follows a hand of any speed, without a force in the air",
     [](const Scene&, const TomlTable& root) { return lacks_coupling_key(root, "max_speed"); }},
    {2, "coupling.max_angular_speed", "max_angular_speed = 6.283185307", "none",
     "the tool follows a hand that turns at any speed",
     [](const Scene&, const TomlTable& root) {
       return lacks_coupling_key(root, "max_angular_speed");
     }},
}};

}  // namespace haptic
