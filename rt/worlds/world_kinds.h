#pragma once

#include <string_view>
#include <vector>

#include "rt/worlds/world_kind.h"

namespace haptic {

/// Names of the kinds of world in this program. The first is the default of a scene.
std::vector<std::string_view> world_kind_names();

/// The kind of that name. @pre `name` is one of world_kind_names()
const WorldKind& find_world_kind(std::string_view name);

/// Registers a kind in addition to those of world_kinds.cpp. Define a static object of this class
/// next to the definition of the kind, so that it is constructed before main. Two kinds with the
/// same name fail a HAPTIC_DEMAND.
class RegisteredWorldKind {
 public:
  /// @param kind  must outlive the last scene of the program
  explicit RegisteredWorldKind(const WorldKind& kind);
};

}  // namespace haptic
