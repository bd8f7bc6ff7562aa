#include "rt/servo/servo_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace haptic {
namespace {

std::int64_t nanoseconds(double seconds) {
  return seconds < 1e9 ? std::llround(seconds * 1e9) : std::numeric_limits<std::int64_t>::max();
}

ServoLimits lowered(ServoLimits limits, const DeviceCapabilities& device) {
  limits.force = std::min(limits.force, device.max_force);
  limits.torque = device.actuated_freedoms >= 6 ? std::min(limits.torque, device.max_torque) : 0.0;
  return limits;
}

}  // namespace

ServoScene::ServoScene(World& of_scene, CycleSink& to, const DeviceCapabilities& device,
                       const ServoLimits& limits, const PassivitySettings& settings, double rate_hz)
    : world(of_scene),
      sink(to),
      guard(lowered(limits, device), 1.0 / rate_hz),
      passivity(settings, 1.0 / rate_hz, device.actuated_freedoms >= 6),
      ramp_s(limits.ramp_s),
      stale_ns(nanoseconds(limits.stale_s)),
      overload_cycles(static_cast<std::uint64_t>(std::ceil(limits.overload_s * rate_hz))),
      stop_buttons(limits.stop_buttons),
      poses(of_scene.bodies().size()) {}

}  // namespace haptic
