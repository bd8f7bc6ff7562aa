#pragma once

#include "rt/device/device.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/ipc/telemetry_writer.h"

namespace haptic {

/// What the daemon tells about a scene in its telemetry header.
TelemetryDescription describe_session(const Scene& scene, const Device& device, const World& world);

}  // namespace haptic
