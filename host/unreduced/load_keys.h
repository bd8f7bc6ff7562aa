#pragma once

#include <span>

#include "host/unreduced/load_script.h"
#include "shared/config/key_schema.h"

namespace haptic {

/// The keys of a load script.
const KeySchema<LoadScript>& load_script_keys();

/// The same, for descriptions.
std::span<const KeyGroup> load_keys();

}  // namespace haptic
