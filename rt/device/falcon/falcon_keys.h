#pragma once

#include <span>

#include "shared/config/document_keys.h"

namespace haptic {

/// The keys of a manifest of kind "falcon" besides those of every manifest.
std::span<const KeyGroup> falcon_keys();

}  // namespace haptic
