#pragma once

#include <cstdint>

#include "rt/device/device.h"
#include "shared/config/key_schema.h"

namespace haptic {

/// Which limits a manifest must have.
enum class LimitsNeeded : std::uint8_t {
  kNone,         ///< nothing pushes
  kForce,        ///< motors for a force
  kForceTorque,  ///< and for a torque
};

/// The keys of DeviceLimits in a manifest's [limits]. Their descriptions are the same whatever is
/// needed.
const KeySchema<DeviceLimits>& device_limit_keys(LimitsNeeded needed);

}  // namespace haptic
