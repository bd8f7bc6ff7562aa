#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rt/worlds/scene.h"

namespace haptic {

class TomlTable;

/// Newest version of the defaults of scenes. Templates write it as the key `defaults`.
inline constexpr std::int64_t kDefaultsVersion = 2;

/// A default of a kind of world that has changed. Every scene runs with the present defaults; the
/// list only tells the author of an older scene what is different now.
struct ChangedDefault {
  std::int64_t since;       ///< version of the defaults that has the present one
  std::string_view key;     ///< as in the table of keys: "contact[].scaling"
  std::string_view before;  ///< what to type for the old behaviour, as TOML, or words
  std::string_view now;     ///< the present default
  std::string_view effect;  ///< what changes
  /// Whether a scene leaves the key untyped where it matters.
  bool (*concerns)(const Scene& scene, const TomlTable& root);
};

/// The defaults that have changed since the version that the scene names and that it leaves
/// untyped, a line each, in the order of the kind's table; `hapticd --check` prints them.
std::vector<std::string> changed_defaults(const Scene& scene);

}  // namespace haptic
