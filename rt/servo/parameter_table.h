#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "rt/device/device.h"
#include "rt/device/servo_limits.h"
#include "rt/worlds/world.h"
#include "shared/realtime.h"

namespace haptic {

/// Whose parameter it is, which gives and takes the value.
enum class ParameterOwner : std::uint8_t { kServo, kWorld, kDevice };

/// Names and ranges of everything `haptic set` may change: kServoParameters, then the
/// world's, then the device's.
class ParameterTable {
 public:
  struct Entry : World::Parameter {
    ParameterOwner owner;
    std::uint32_t index;  ///< among those of its owner
  };

  /// No maximum exceeds the device's limit. The maximum of a stiffness of the coupling is what the
  /// device renders at the servo's `rate_hz`, or the scene's value if that is higher.
  ParameterTable(const World& world, const DeviceCapabilities& device, double rate_hz);

  const std::vector<Entry>& entries() const HAPTIC_REALTIME { return entries_; }
  std::optional<std::uint32_t> find(std::string_view name) const;

  std::size_t size() const HAPTIC_REALTIME { return entries_.size(); }
  /// @param index < size()
  bool contains(std::size_t index, double value) const HAPTIC_REALTIME {
    return value >= entries_[index].minimum && value <= entries_[index].maximum;
  }
  /// Present value of a parameter, from its owner. @param index < size()
  double value(std::size_t index, const ServoLimits& limits, const World& world,
               const Device& device) const HAPTIC_REALTIME;

 private:
  std::vector<Entry> entries_;
};

}  // namespace haptic
