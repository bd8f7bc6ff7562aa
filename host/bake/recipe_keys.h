#pragma once

#include <span>

#include "shared/config/document_keys.h"

namespace haptic {

/// The keys of a recipe (docs/bake.md).
std::span<const KeyGroup> recipe_keys();

}  // namespace haptic
