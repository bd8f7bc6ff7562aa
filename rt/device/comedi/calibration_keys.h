#pragma once

#include <span>

#include "rt/device/comedi/arm_calibration.h"
#include "shared/config/key_schema.h"

namespace haptic {

/// The keys of a calibration file.
const KeySchema<ArmCalibration>& calibration_keys();

/// Their descriptions.
std::span<const KeyGroup> calibration_groups();

}  // namespace haptic
