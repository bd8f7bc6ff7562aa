#pragma once

#include <span>

#include "shared/config/document_keys.h"

namespace haptic {

struct WorldKind;

/// The keys that scenes of every kind of world have.
std::span<const KeyGroup> scene_core_keys();

/// The keys that scenes of this kind have besides; of a kind without descriptions none.
KeyGroup scene_keys_of(const WorldKind& kind);

}  // namespace haptic
