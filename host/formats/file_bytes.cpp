#include "host/formats/file_bytes.h"

#include <bit>

#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {

static_assert(std::endian::native == std::endian::little, "VegaFEM's files are little-endian");

std::string read_file_bytes(const std::filesystem::path& path, std::string_view expected) {
  std::string bytes = read_regular_file(path, expected, kMaxMeshBytes);
  if (bytes.empty()) throw InputError(path.string(), "", "empty file", expected);
  return bytes;
}

}  // namespace haptic
