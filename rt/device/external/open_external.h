#pragma once

#include <memory>

#include "rt/device/device.h"
#include "rt/device/device_manifest.h"

namespace haptic {

/// Opens the link of an external device and waits for no adapter: without one the device is not
/// homed.
/// @throws InputError if the manifest is refused or another daemon has the link
/// @throws OperationError if its socket or memory cannot be had
std::unique_ptr<Device> open_external(const DeviceManifest& manifest);

}  // namespace haptic
