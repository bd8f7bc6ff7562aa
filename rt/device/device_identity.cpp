#include "rt/device/device_identity.h"

#include <xxhash.h>

#include <fstream>
#include <iterator>
#include <string>

#include "shared/error.h"

namespace haptic {

std::uint64_t device_identity(const DeviceManifest& manifest) {
  if (!has_motors(manifest.kind)) return kVirtualDevice;
  std::ifstream file(manifest.file, std::ios::binary);
  if (!file) {
    throw InputError(manifest.file.string(), "", "cannot be read again", "the device's manifest");
  }
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string identity = manifest.kind + "\n" + manifest.name + "\n" + content;
  return XXH3_64bits(identity.data(), identity.size());
}

}  // namespace haptic
