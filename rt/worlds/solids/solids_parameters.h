#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "rt/worlds/coupling_parameters.h"
#include "rt/worlds/world.h"

namespace haptic::solids {

/// Parameters of a world of solids, the same in a scene file and for an operator (`haptic set`):
/// those of the coupling, then these.
enum SolidsParameter : std::size_t {
  kContactStiffness = kCouplingParameterCount,  ///< of every pair
  kSolidsParameterCount
};

inline constexpr std::array<World::Parameter, kSolidsParameterCount> kSolidsParameters = [] {
  std::array<World::Parameter, kSolidsParameterCount> all{};
  std::copy(kCouplingParameters.begin(), kCouplingParameters.end(), all.begin());
  all[kContactStiffness] = {"contact.stiffness", 1e-2, 1e6};  // N/m per point
  return all;
}();

}  // namespace haptic::solids
