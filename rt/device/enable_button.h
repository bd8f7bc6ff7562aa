#pragma once

#include <cstdint>
#include <string>

#include "shared/config/toml_reader.h"

namespace haptic {

/// `enable_button` of a manifest of any kind and of a scene's simulated device: bit of the button
/// that must be held to run (DeviceCapabilities::enable_button).
/// @param buttons that the device has, 1 to 32
/// @returns -1 if absent
/// @throws InputError for a button that the device does not have: nothing would ever engage
inline int read_enable_button(const TomlTable& table, int buttons = 32) {
  return static_cast<int>(table.integer("enable_button", 0, buttons - 1, -1));
}

}  // namespace haptic
