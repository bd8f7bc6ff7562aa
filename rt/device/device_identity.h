#pragma once

#include <cstdint>

#include "rt/device/device_manifest.h"

namespace haptic {

/// Identity of every virtual device: simulated, replayed.
inline constexpr std::uint64_t kVirtualDevice = 1;

/// Tells devices apart: a number that daemon and guard have in common exactly if both were given
/// the same device, by name, kind and every byte of its manifest. @throws InputError if that is
/// gone
std::uint64_t device_identity(const DeviceManifest& manifest);

}  // namespace haptic
