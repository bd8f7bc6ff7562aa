#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "shared/state/physical_warnings.h"

namespace haptic {

/// An array with an object for each warning: name, text, held_s, last_cycle, largest.
nlohmann::json warnings_json(std::span<const WarningFinding> findings);

}  // namespace haptic
