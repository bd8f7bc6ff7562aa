#pragma once

#include <span>

#include "shared/config/document_keys.h"

namespace haptic {

/// The keys of [board] and of its buttons in a manifest of kind "comedi-arm".
std::span<const KeyGroup> board_keys();

/// The keys of a calibration file, which haptic calibrate writes.
std::span<const KeyGroup> calibration_keys();

}  // namespace haptic
