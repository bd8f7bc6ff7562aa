#include "host/bake/file_digest.h"

#include <span>
#include <string>

#include "host/formats/file_bytes.h"
#include "shared/files/regular_file.h"

namespace haptic {

StageDigest digest_of_file(const std::filesystem::path& path) {
  if (path.empty()) return {};
  // What may be empty, its reader decides.
  const std::string bytes = read_regular_file(path, "a file", kMaxMeshBytes);
  return digest_of(std::as_bytes(std::span(bytes)));
}

}  // namespace haptic
