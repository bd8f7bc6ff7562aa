#pragma once

#include <memory>

#include "rt/device/device.h"
#include "rt/device/device_manifest.h"

namespace haptic {

/// Opens the Falcon that a manifest describes: finds and claims it, gives it its firmware where it
/// has none, and starts the I/O thread that talks to it from then on. Takes a few seconds with an
/// upload. The device is not homed yet; sense() says so.
/// @throws InputError for a wrong manifest or firmware file, OperationError with one line that says
///         what to do if the device is absent, not permitted, in use, or does not start
std::unique_ptr<Device> open_falcon(const DeviceManifest& manifest, double rate_hz);

}  // namespace haptic
