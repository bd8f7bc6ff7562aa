#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "rt/servo/servo_limits.h"
#include "rt/worlds/world.h"

namespace haptic {

/// Parameters of the servo itself; in the table they come before the world's.
enum ServoParameter : std::uint32_t {
  kForceLimit,
  kTorqueLimit,
  kRampSeconds,
  kSlewLimit,
  kServoParameterCount
};

/// Names and ranges of everything `haptic set` may change.
class ParameterTable {
 public:
  /// @param ceiling force and torque no operator may exceed: the device's own
  ParameterTable(const World& world, const ServoLimits& ceiling);

  const std::vector<World::Parameter>& entries() const { return entries_; }
  std::optional<std::uint32_t> find(std::string_view name) const;

 private:
  std::vector<World::Parameter> entries_;
};

}  // namespace haptic
