#include "rt/worlds/scene_device.h"

#include "rt/device/device_identity.h"
#include "rt/device/open_device.h"

namespace haptic {

void limit_to_device(Scene& scene, const DeviceCapabilities& device) {
  if (scene.coupling.limit_to_device) scene.coupling.max_stiffness = device.max_stiffness;
  if (device.enable_button >= 0) scene.limits.enable_buttons |= 1u << device.enable_button;
}

std::unique_ptr<Device> make_device(const SceneDevice& device, double rate_hz) {
  if (device.is_simulated()) return make_simulated(device, rate_hz);
  return open_device(load_manifest(find_manifest(device.name)), rate_hz);
}

std::uint64_t device_identity(const SceneDevice& device) {
  if (device.is_simulated()) return kVirtualDevice;
  return device_identity(load_manifest(find_manifest(device.name)));
}

}  // namespace haptic
