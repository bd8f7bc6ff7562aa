#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "rt/worlds/condensed/condensed_settings.h"
#include "rt/worlds/coupling_parameters.h"
#include "rt/worlds/world.h"

namespace haptic::condensed {

/// Parameters of a condensed world, the same in a scene file and for an operator (`haptic set`):
/// those of the coupling, then these.
enum CondensedParameter : std::size_t {
  kContactFriction = kCouplingParameterCount,  ///< without `stick`
  kCondensedParameterCount
};

inline constexpr std::array<World::Parameter, kCondensedParameterCount> kCondensedParameters = [] {
  std::array<World::Parameter, kCondensedParameterCount> all{};
  std::copy(kCouplingParameters.begin(), kCouplingParameters.end(), all.begin());
  all[kContactFriction] = {"contact.friction", 0.0, CondensedSettings::kMaxFriction};
  return all;
}();

}  // namespace haptic::condensed
