#pragma once

#include <string_view>

#include "rt/worlds/world.h"

namespace haptic {

/// Value of a state block of one number: state_value(world, "contact/points").
/// @throws std::bad_optional_access if the world has no such block
inline double state_value(const World& world, std::string_view block) {
  return world.state(world.state_layout().find(block).value())[0];
}

}  // namespace haptic
