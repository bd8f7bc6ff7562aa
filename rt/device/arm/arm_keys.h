#pragma once

#include <span>

#include "rt/device/arm/arm_settings.h"
#include "shared/config/key_schema.h"

namespace haptic {

/// The keys of a manifest of kind "comedi-arm" that describe the arm. The settings have its name.
const KeySchema<ArmSettings>& arm_keys();

/// Their descriptions.
std::span<const KeyGroup> arm_groups();

}  // namespace haptic
