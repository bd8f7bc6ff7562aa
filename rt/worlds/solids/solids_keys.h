#pragma once

#include <span>

#include "shared/config/document_keys.h"

namespace haptic::solids {

/// The keys that scenes of this kind have besides those of every scene.
std::span<const DocumentKey> solids_keys();

}  // namespace haptic::solids
