#pragma once

#include <span>

#include "shared/config/document_keys.h"

namespace haptic {

/// The keys of a manifest of kind "external" besides those of every manifest.
std::span<const KeyGroup> external_keys();

}  // namespace haptic
