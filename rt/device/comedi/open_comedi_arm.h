#pragma once

#include <memory>

#include "rt/device/arm/arm_settings.h"
#include "rt/device/comedi/board_settings.h"
#include "rt/device/device.h"
#include "rt/device/device_manifest.h"
#include "shared/clock.h"

namespace haptic {

/// The content of a "comedi-arm" manifest.
struct ComediArm {
  ArmSettings arm;
  BoardSettings board;
};

/// @throws InputError for anything in it that is wrong; opens nothing
ComediArm read_comedi_arm(const DeviceManifest& manifest);

/// The arm of a manifest on its real board, outputs at zero and amplifiers off.
/// @param rate_hz exchanges per second, > 0
/// @param clock   as ArmDevice's
/// @throws InputError, OperationError as open_device
std::unique_ptr<Device> open_comedi_arm(const DeviceManifest& manifest, double rate_hz,
                                        const Clock* clock = nullptr);

}  // namespace haptic
