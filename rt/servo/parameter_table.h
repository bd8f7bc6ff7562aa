#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "rt/device/servo_limits.h"
#include "rt/worlds/world.h"
#include "shared/realtime.h"

namespace haptic {

/// Names and ranges of everything `haptic set` may change: kServoParameters, then the
/// world's, then the device's.
class ParameterTable {
 public:
  /// No maximum exceeds the device's limit. The maximum of `coupling.stiffness` and of
  /// `coupling.rotational_stiffness` is what the device renders at the servo's `rate_hz`, or the
  /// scene's value if that is higher.
  ParameterTable(const World& world, const DeviceCapabilities& device, double rate_hz);

  const std::vector<World::Parameter>& entries() const HAPTIC_REALTIME { return entries_; }
  std::optional<std::uint32_t> find(std::string_view name) const;

  std::size_t size() const HAPTIC_REALTIME { return entries_.size(); }
  /// @param index < size()
  bool contains(std::size_t index, double value) const HAPTIC_REALTIME {
    return value >= entries_[index].minimum && value <= entries_[index].maximum;
  }

 private:
  std::vector<World::Parameter> entries_;
};

}  // namespace haptic
