#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "rt/worlds/cloth/cloth_settings.h"
#include "rt/worlds/coupling_parameters.h"
#include "rt/worlds/world.h"

namespace haptic::cloth {

/// Parameters of a world of cloth, the same in a scene file and for an operator (`haptic set`):
/// those of the coupling, then these.
enum ClothParameter : std::size_t {
  kClothContactStiffness = kCouplingParameterCount,
  kClothContactFriction,
  kClothDrag,
  kClothDragPerArea,
  kClothWindX,
  kClothWindY,
  kClothWindZ,
  kClothParameterCount
};

inline constexpr std::array<World::Parameter, kClothParameterCount> kClothParameters = [] {
  std::array<World::Parameter, kClothParameterCount> all{};
  std::copy(kCouplingParameters.begin(), kCouplingParameters.end(), all.begin());
  all[kClothContactStiffness] = {"contact.stiffness", 0.0, ClothSettings::kMaxStiffness};
  all[kClothContactFriction] = {"contact.friction", 0.0, ClothSettings::kMaxFriction};
  all[kClothDrag] = {"cloth.drag", 0.0, ClothSettings::kMaxDrag};
  all[kClothDragPerArea] = {"cloth.drag_per_area", 0.0, ClothSettings::kMaxDragPerArea};
  all[kClothWindX] = {"cloth.wind_x", -ClothSettings::kMaxAirSpeed, ClothSettings::kMaxAirSpeed};
  all[kClothWindY] = {"cloth.wind_y", -ClothSettings::kMaxAirSpeed, ClothSettings::kMaxAirSpeed};
  all[kClothWindZ] = {"cloth.wind_z", -ClothSettings::kMaxAirSpeed, ClothSettings::kMaxAirSpeed};
  return all;
}();

}  // namespace haptic::cloth
