#pragma once

#include <memory>

#include "rt/device/device.h"
#include "rt/device/device_manifest.h"

namespace haptic {

/// Opens the device of a manifest; its outputs are zero and its amplifiers off afterwards.
/// May block (a Falcon's firmware takes seconds).
/// @param rate_hz exchanges per second, > 0
/// @throws InputError if the manifest is refused
/// @throws OperationError if the device is absent, is used by another process or refuses
std::unique_ptr<Device> open_device(const DeviceManifest& manifest, double rate_hz);

}  // namespace haptic
