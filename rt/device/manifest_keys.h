#pragma once

#include <vector>

#include "shared/config/document_keys.h"

namespace haptic {

/// The keys of manifests of all kinds.
std::vector<KeyGroup> manifest_keys();

}  // namespace haptic
