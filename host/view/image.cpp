#include "host/view/image.h"

#include <fmt/format.h>
#include <png.h>

#include <cstdio>
#include <cstring>
#include <system_error>

#include "shared/error.h"

namespace haptic {

void write_png(const Image& image, const std::filesystem::path& path) {
  png_image png;
  std::memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;

  std::filesystem::path temporary = path;
  temporary += ".tmp";
  if (png_image_write_to_file(&png, temporary.c_str(), 0, image.rgb.data(), 0, nullptr) == 0) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw OperationError(fmt::format("{}: cannot write the image: {}", path.string(), png.message));
  }
  std::error_code error;
  std::filesystem::rename(temporary, path, error);
  if (error) throw OperationError(fmt::format("{}: {}", path.string(), error.message()));
}

}  // namespace haptic
