#include "rt/worlds/scene_device.h"

#include <fmt/format.h>

#include <utility>

#include "shared/error.h"

namespace haptic {

void limit_to_device(Scene& scene, const DeviceCapabilities& device) {
  if (scene.coupling.limit_to_device) scene.coupling.max_stiffness = device.max_stiffness;
}

std::unique_ptr<Device> make_device(const SceneDevice& device, double rate_hz) {
  if (device.name != "simulated") {
    throw InputError("device", "name", fmt::format("found \"{}\"", device.name), "\"simulated\"");
  }
  HandScript script = device.script.empty() ? HandScript() : HandScript::load(device.script);
  return std::make_unique<SimulatedDevice>(std::move(script), rate_hz, device.hand, device.encoder);
}

}  // namespace haptic
