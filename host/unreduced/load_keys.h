#pragma once

#include <span>

#include "shared/config/document_keys.h"

namespace haptic {

/// The keys of a load script (load_script.h).
std::span<const KeyGroup> load_keys();

}  // namespace haptic
