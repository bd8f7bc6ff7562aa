#include "rt/servo/parameter_table.h"

#include <algorithm>

namespace haptic {
namespace {

/// Largest value of a world's parameter that the device renders.
double renderable(std::string_view name, const World& world, const RenderableStiffness& device) {
  // Per metre of hand it is length_scale times the simulated one.
  if (name == "coupling.stiffness") return device.linear / world.hand_coupling().length_scale;
  if (name == "coupling.rotational_stiffness") return device.rotational;
  return ServoLimits::kNone;
}

}  // namespace

ParameterTable::ParameterTable(const World& world, const DeviceCapabilities& device,
                               double rate_hz) {
  for (const ServoLimitRow& p : kServoParameters) {
    entries_.push_back({p.name, p.set->minimum, std::min(p.set->maximum, p.ceiling(device))});
  }
  const RenderableStiffness stiffness = renderable_stiffness(device, rate_hz);
  const auto of_world = world.parameters();
  for (std::size_t i = 0; i < of_world.size(); ++i) {
    World::Parameter p = of_world[i];
    p.maximum =
        std::min(p.maximum, std::max(renderable(p.name, world, stiffness), world.parameter(i)));
    entries_.push_back(p);
  }
  for (const DeviceParameter& p : device.parameters) {
    entries_.push_back({p.name, p.minimum, p.maximum});
  }
}

std::optional<std::uint32_t> ParameterTable::find(std::string_view name) const {
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace haptic
