#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "rt/bodies/held_body_settings.h"
#include "rt/worlds/world.h"
#include "shared/math/value_ramp.h"

namespace haptic {

/// Parameters of the coupling between hand and held body, the same in a scene file and for an
/// operator (`haptic set`). A kind of world with a held body lists them first.
enum CouplingParameter : std::size_t {
  kCouplingStiffness,
  kCouplingRotationalStiffness,
  kCouplingStaticDamping,
  kCouplingParameterCount
};

inline constexpr std::array<World::Parameter, kCouplingParameterCount> kCouplingParameters = {{
    {.name = "coupling.stiffness",  // N/m
     .minimum = 1.0,
     .maximum = 1e5,
     .felt_as = World::FeltAs::kStiffness},
    {.name = "coupling.rotational_stiffness",  // N·m/rad
     .minimum = 1e-4,
     .maximum = 1e2,
     .felt_as = World::FeltAs::kRotationalStiffness},
    {.name = "coupling.static_damping", .minimum = 0.0, .maximum = 0.99},  // 1
}};

/// @param ramps  of a world's parameters, those of the coupling first
/// @param to     a static damping that is absent stays absent
inline void apply_coupling(std::span<const ValueRamp> ramps, HeldBodySettings& to) HAPTIC_REALTIME {
  to.stiffness = ramps[kCouplingStiffness].value();
  to.rotational_stiffness = ramps[kCouplingRotationalStiffness].value();
  if (to.static_damping) to.static_damping = ramps[kCouplingStaticDamping].value();
}

}  // namespace haptic
