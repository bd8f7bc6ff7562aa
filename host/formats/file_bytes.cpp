#include "host/formats/file_bytes.h"

#include <bit>
#include <fstream>
#include <iterator>

#include "shared/error.h"

namespace haptic {

static_assert(std::endian::native == std::endian::little, "VegaFEM's files are little-endian");

std::string read_file_bytes(const std::filesystem::path& path, std::string_view expected) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw InputError(path.string(), "", "no such file", expected);
  }
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(path.string(), "", "not a regular file", expected);
  }
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream.good() && !stream.eof()) throw InputError(path.string(), "", "cannot be read");
  if (bytes.empty()) throw InputError(path.string(), "", "empty file", expected);
  return bytes;
}

}  // namespace haptic
