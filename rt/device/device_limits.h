#pragma once

#include <cstdint>

#include "rt/device/device.h"
#include "shared/config/toml_reader.h"

namespace haptic {

/// Which limits a manifest must have.
enum class LimitsNeeded : std::uint8_t {
  kNone,         ///< nothing pushes
  kForce,        ///< motors for a force
  kForceTorque,  ///< and for a torque
};

/// Reads `speed`, `angular_speed`, `reach`, `slew_N_per_s`, `torque_slew_Nm_per_s`, `power`,
/// `impulse` and `impulse_window_s` of a manifest's [limits]; the caller ends with limits.finish().
/// @throws InputError for a value out of range, and for one that is absent though needed
DeviceLimits read_device_limits(const TomlTable& limits, LimitsNeeded needed);

}  // namespace haptic
