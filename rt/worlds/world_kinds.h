#pragma once

#include <string_view>
#include <vector>

#include "rt/worlds/world_kind.h"

namespace haptic {

/// Names of the kinds of world that this program has. The first is the default of a scene.
std::vector<std::string_view> world_kind_names();

/// The kind of that name. @pre `name` is one of world_kind_names()
const WorldKind& find_world_kind(std::string_view name);

/// Adds a kind to those of world_kinds.cpp, for a program that links a further one: a static object
/// next to the kind's definition, constructed before main. Two kinds of one name are refused.
class RegisteredWorldKind {
 public:
  /// @param kind  outlives the program's last scene
  explicit RegisteredWorldKind(const WorldKind& kind);
};

}  // namespace haptic
