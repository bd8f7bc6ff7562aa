#include "host/bake/file_bytes.h"

#include <fstream>
#include <sstream>

#include "shared/error.h"

namespace haptic {

std::string bytes_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  if (file && file.peek() != std::ifstream::traits_type::eof()) bytes << file.rdbuf();
  if (!file.is_open() || file.bad()) {
    throw InputError(path.string(), "", "cannot be read", "a file");
  }
  return bytes.str();
}

StageDigest digest_of_file(const std::filesystem::path& path) {
  if (path.empty()) return {};
  const std::string bytes = bytes_of_file(path);
  return digest_of(std::as_bytes(std::span(bytes)));
}

}  // namespace haptic
