#pragma once

#include <cstdint>
#include <memory>

#include "rt/device/device.h"
#include "rt/worlds/scene.h"

namespace haptic {

/// Sets coupling.max_stiffness to the device's rating if coupling.limit_to_device is set.
void limit_to_device(Scene& scene, const DeviceCapabilities& device);

/// Opens the device of a scene. @param rate_hz exchanges per second [Hz]
/// @throws InputError if there is no manifest of that name, or it or the hand script is invalid
/// @throws OperationError if the device is not present or cannot be opened
std::unique_ptr<Device> make_device(const SceneDevice& device, double rate_hz);

/// Identity of that device for the guard (rt/device/device_identity.h). @throws InputError as
/// make_device
std::uint64_t device_identity(const SceneDevice& device);

}  // namespace haptic
