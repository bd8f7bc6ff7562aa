#include "rt/servo/parameter_table.h"

#include <algorithm>

namespace haptic {
namespace {

/// Largest value of a world's parameter that the device renders.
double renderable(const World::Parameter& parameter, const World& world,
                  const RenderableStiffness& device) {
  switch (parameter.felt_as) {
    case World::FeltAs::kStiffness:  // per metre of hand it is length_scale times the simulated one
      return device.linear / world.hand_coupling().length_scale;
    case World::FeltAs::kRotationalStiffness:
      return device.rotational;
    case World::FeltAs::kOther:
      break;
  }
  return ServoLimits::kNone;
}

}  // namespace

ParameterTable::ParameterTable(const World& world, const DeviceCapabilities& device,
                               double rate_hz) {
  const auto add = [this](const World::Parameter& parameter, ParameterOwner owner,
                          std::size_t index) {
    entries_.push_back({parameter, owner, static_cast<std::uint32_t>(index)});
  };
  for (std::size_t i = 0; i < kServoParameterCount; ++i) {
    const ServoLimitRow& p = kServoParameters[i];
    add({p.name, p.set->minimum, std::min(p.set->maximum, p.ceiling(device))},
        ParameterOwner::kServo, i);
  }
  const RenderableStiffness stiffness = renderable_stiffness(device, rate_hz);
  for (std::size_t i = 0; i < world.parameters().size(); ++i) {
    World::Parameter p = world.parameters()[i];
    p.maximum = std::min(p.maximum, std::max(renderable(p, world, stiffness), world.parameter(i)));
    add(p, ParameterOwner::kWorld, i);
  }
  for (std::size_t i = 0; i < device.parameters.size(); ++i) {
    const DeviceParameter& p = device.parameters[i];
    add({p.name, p.minimum, p.maximum}, ParameterOwner::kDevice, i);
  }
}

double ParameterTable::value(std::size_t index, const ServoLimits& limits, const World& world,
                             const Device& device) const HAPTIC_REALTIME {
  const Entry& entry = entries_[index];
  switch (entry.owner) {
    case ParameterOwner::kServo:
      return limits.*kServoParameters[entry.index].value;
    case ParameterOwner::kWorld:
      return world.parameter(entry.index);
    case ParameterOwner::kDevice:
      break;
  }
  return device.parameter(entry.index);
}

std::optional<std::uint32_t> ParameterTable::find(std::string_view name) const {
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace haptic
