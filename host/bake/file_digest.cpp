#include "host/bake/file_digest.h"

#include <span>
#include <string>

#include "host/formats/file_bytes.h"

namespace haptic {

StageDigest digest_of_file(const std::filesystem::path& path) {
  if (path.empty()) return {};
  const std::string bytes = read_file_bytes(path, "a file");
  return digest_of(std::as_bytes(std::span(bytes)));
}

}  // namespace haptic
