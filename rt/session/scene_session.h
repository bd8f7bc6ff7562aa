#pragma once

#include "rt/device/device.h"
#include "rt/servo/servo_limits.h"
#include "rt/worlds/scene.h"
#include "rt/worlds/world.h"
#include "shared/ipc/telemetry_writer.h"

namespace haptic {

/// Servo settings of a scene; the daemon and the offline simulation read them in the same way.
ServoLimits servo_limits(const SceneLimits& scene);

/// What the daemon tells about a scene in its telemetry header.
TelemetryDescription describe_session(const Scene& scene, const Device& device, const World& world);

}  // namespace haptic
