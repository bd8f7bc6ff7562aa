#pragma once

#include <span>

#include "shared/config/document_keys.h"

namespace haptic::condensed {

/// The keys that scenes of this kind have besides those of every scene.
std::span<const DocumentKey> condensed_keys();

}  // namespace haptic::condensed
