#pragma once

#include <span>

#include "rt/device/falcon/falcon_settings.h"
#include "shared/config/key_schema.h"

namespace haptic {

/// The keys of a manifest of kind "falcon" besides those of every manifest.
const KeySchema<FalconSettings>& falcon_keys();

/// Their descriptions.
std::span<const KeyGroup> falcon_groups();

}  // namespace haptic
