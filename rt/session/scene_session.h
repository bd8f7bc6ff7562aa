#pragma once

#include "rt/device/device.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/ipc/telemetry_writer.h"

namespace haptic {

/// Description of a scene for the telemetry header.
TelemetryDescription describe_session(const Scene& scene, const Device& device, const World& world);

}  // namespace haptic
