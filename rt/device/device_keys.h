#pragma once

#include <span>

#include "shared/config/document_keys.h"

namespace haptic {

/// The keys that every manifest has.
std::span<const KeyGroup> manifest_core_keys();

/// `speed`, `reach`, ...: what read_device_limits reads of a [limits].
std::span<const DocumentKey> device_limit_keys();

/// The other keys of manifests of these kinds.
std::span<const KeyGroup> simulated_manifest_keys();
std::span<const KeyGroup> replay_manifest_keys();

}  // namespace haptic
