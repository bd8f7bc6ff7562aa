#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "rt/servo/servo_limits.h"
#include "rt/worlds/world.h"
#include "shared/realtime.h"

namespace haptic {

/// Parameters of the servo itself; in the table they come before the world's.
enum ServoParameter : std::uint32_t {
  kForceLimit,
  kTorqueLimit,
  kRampSeconds,
  kSlewLimit,
  kTorqueSlewLimit,
  kPowerLimitParameter,
  kImpulseLimitParameter,
  kSpeedLimitParameter,
  kAngularSpeedLimit,
  kWorkspaceRadius,
  kServoParameterCount
};

/// One of them: where its value stands, and its range where the device has no stricter one.
struct ServoParameterRange {
  std::string_view name;
  double ServoLimits::*value;
  double minimum, maximum;
};

/// In the order of ServoParameter. Whoever names, sets, publishes or lowers a limit goes by this.
inline constexpr std::array<ServoParameterRange, kServoParameterCount> kServoParameters = {{
    {"limits.force", &ServoLimits::force, 0.0, 1e4},                                 // N
    {"limits.torque", &ServoLimits::torque, 0.0, 1e4},                               // N·m
    {"limits.ramp_s", &ServoLimits::ramp_s, 0.0, 60.0},                              // s
    {"limits.slew_N_per_s", &ServoLimits::slew_N_per_s, 1.0, 1e9},                   // N/s
    {"limits.torque_slew_Nm_per_s", &ServoLimits::torque_slew_Nm_per_s, 0.01, 1e9},  // N·m/s
    {"limits.power", &ServoLimits::power, 0.0, 1e6},                                 // W
    {"limits.impulse", &ServoLimits::impulse, 0.0, 1e6},                             // N·s
    {"limits.speed", &ServoLimits::speed, 1e-3, 1e3},                                // m/s
    {"limits.angular_speed", &ServoLimits::angular_speed, 1e-2, 1e4},                // rad/s
    {"limits.workspace_radius", &ServoLimits::workspace_radius, 1e-3, 1e3},          // m
}};

/// Names and ranges of everything `haptic set` may change.
class ParameterTable {
 public:
  /// No limit beyond the device's own. `coupling.stiffness` and `coupling.rotational_stiffness`
  /// end at what the device renders at `rate_hz` of the servo, or at the scene's own value where
  /// that is higher.
  ParameterTable(const World& world, const DeviceCapabilities& device, double rate_hz);

  const std::vector<World::Parameter>& entries() const { return entries_; }
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
