#pragma once

#include <span>

#include "rt/device/external/external_settings.h"
#include "shared/config/key_schema.h"

namespace haptic {

/// The keys of a manifest of kind "external" besides those of every manifest.
const KeySchema<ExternalSettings>& external_keys();

/// Their descriptions.
std::span<const KeyGroup> external_groups();

}  // namespace haptic
