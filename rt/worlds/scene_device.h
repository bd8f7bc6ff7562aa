#pragma once

#include <cstdint>
#include <memory>

#include "rt/device/device.h"
#include "rt/worlds/scene.h"

namespace haptic {

/// Puts the device's rating into a scene that asks for it (coupling.limit_to_device).
void limit_to_device(Scene& scene, const DeviceCapabilities& device);

/// The device a scene asks for. @param rate_hz exchanges per second.
/// @throws InputError if there is no manifest of that name, or it or the hand script is refused
/// @throws OperationError if the device is not there or cannot be opened
std::unique_ptr<Device> make_device(const SceneDevice& device, double rate_hz);

/// Of that device, as the guard knows it (rt/device/device_identity.h). @throws InputError as
/// make_device
std::uint64_t device_identity(const SceneDevice& device);

}  // namespace haptic
