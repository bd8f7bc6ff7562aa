#pragma once

#include <span>

#include "shared/config/document_keys.h"

namespace haptic {

/// The keys of a manifest of kind "comedi-arm" that describe the arm.
std::span<const KeyGroup> arm_keys();

}  // namespace haptic
