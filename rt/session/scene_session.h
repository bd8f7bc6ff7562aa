#pragma once

#include <cstdint>
#include <string>

#include "rt/device/device.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/ipc/servo_state.h"
#include "shared/ipc/telemetry_writer.h"

namespace haptic {

/// Description of a scene for the telemetry header.
TelemetryDescription describe_session(const Scene& scene, const Device& device, const World& world);

/// Name of a fault, and the body that caused it where the world names one:
/// world_diverged (body "cube"). For a capacity that is used up, also the key of the scene that
/// sets it: world_capacity (body "cube": raise dynamics.pair_capacity).
/// @param failed_body  HapticCycle::failed_body()
std::string describe_fault(FaultKind fault, const World& world, std::uint32_t failed_body);

}  // namespace haptic
