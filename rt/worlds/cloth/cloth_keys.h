#pragma once

#include <span>

#include "shared/config/document_keys.h"

namespace haptic::cloth {

/// The keys that scenes of this kind have besides those of every scene.
std::span<const DocumentKey> cloth_keys();

}  // namespace haptic::cloth
