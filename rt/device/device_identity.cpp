#include "rt/device/device_identity.h"

#include <xxhash.h>

#include <string>

namespace haptic {

std::uint64_t device_identity(const DeviceManifest& manifest) {
  if (!has_motors(manifest.kind)) return kVirtualDevice;
  const std::string identity = manifest.kind + "\n" + manifest.name + "\n" + manifest.text;
  return XXH3_64bits(identity.data(), identity.size());
}

}  // namespace haptic
