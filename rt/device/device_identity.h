#pragma once

#include <cstdint>

#include "rt/device/device_manifest.h"

namespace haptic {

/// Identity of every virtual device: simulated, replayed.
inline constexpr std::uint64_t kVirtualDevice = 1;

/// Number that identifies a device. It is equal in daemon and guard exactly if both were given the
/// same device, by name, kind and every byte of its manifest. @throws InputError if the manifest no
/// longer exists
std::uint64_t device_identity(const DeviceManifest& manifest);

}  // namespace haptic
