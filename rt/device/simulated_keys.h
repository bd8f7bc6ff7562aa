#pragma once

#include <span>

#include "shared/config/document_keys.h"

namespace haptic {

/// The keys of a simulated device: of a scene's [device], and of a manifest of kind "simulated".
std::span<const DocumentKey> simulated_keys();

}  // namespace haptic
