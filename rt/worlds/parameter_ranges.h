#pragma once

#include <array>
#include <cstddef>

#include "rt/worlds/world.h"

namespace haptic {

/// Parameters of a reduced world, the same in a scene file and for an operator (`haptic set`).
enum ReducedWorldParameter : std::size_t {
  kCouplingStiffness,
  kCouplingRotationalStiffness,
  kCouplingStaticDamping,
  kContactStiffness,  ///< of every pair
  kReducedWorldParameterCount
};

inline constexpr std::array<World::Parameter, kReducedWorldParameterCount> kReducedWorldParameters =
    {{
        {"coupling.stiffness", 1.0, 1e5},              // N/m
        {"coupling.rotational_stiffness", 1e-4, 1e2},  // N·m/rad
        {"coupling.static_damping", 0.0, 0.99},        // 1
        {"contact.stiffness", 1e-2, 1e6},              // N/m per point
    }};

}  // namespace haptic
