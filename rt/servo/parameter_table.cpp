#include "rt/servo/parameter_table.h"

namespace haptic {

ParameterTable::ParameterTable(const World& world, const ServoLimits& ceiling)
    : entries_{{"limits.force", 0.0, ceiling.force},
               {"limits.torque", 0.0, ceiling.torque},
               {"limits.ramp_s", 0.0, 60.0},
               {"limits.slew_N_per_s", 1.0, 1e9}} {
  const auto of_world = world.parameters();
  entries_.insert(entries_.end(), of_world.begin(), of_world.end());
}

std::optional<std::uint32_t> ParameterTable::find(std::string_view name) const {
  for (std::uint32_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].name == name) return i;
  }
  return std::nullopt;
}

}  // namespace haptic
