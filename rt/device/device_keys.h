#pragma once

#include <span>

#include "rt/device/device_manifest.h"
#include "rt/device/replay_device.h"
#include "rt/device/simulated_settings.h"
#include "shared/config/key_schema.h"

namespace haptic {

/// The keys that every manifest has.
const KeySchema<DeviceManifest>& manifest_core_keys();

/// What a manifest of kind "simulated" has besides simulated_keys().
const KeySchema<SimulatedSettings>& simulated_limits_keys();

/// The other keys of a manifest of kind "replay".
const KeySchema<ReplaySettings>& replay_keys();

/// Descriptions of the keys that every manifest has, and of the others of these kinds.
std::span<const KeyGroup> manifest_core_groups();
std::span<const KeyGroup> simulated_groups();
std::span<const KeyGroup> replay_groups();

}  // namespace haptic
