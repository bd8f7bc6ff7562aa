#pragma once

#include "rt/device/simulated_settings.h"
#include "shared/config/key_schema.h"

namespace haptic {

/// The keys of a simulated device: of a scene's [device], and of a manifest of kind "simulated".
const KeySchema<SimulatedSettings>& simulated_keys();

}  // namespace haptic
