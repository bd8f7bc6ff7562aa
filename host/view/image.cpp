#include "host/view/image.h"

#include <fmt/format.h>
#include <png.h>

#include <cstring>
#include <string>
#include <string_view>

#include "host/files/replace_file.h"
#include "shared/error.h"

namespace haptic {

void write_png(const Image& image, const std::filesystem::path& path) {
  png_image png;
  std::memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(image.width);
  png.height = static_cast<png_uint_32>(image.height);
  png.format = PNG_FORMAT_RGB;

  png_alloc_size_t size = 0;
  std::string bytes;
  const auto write = [&](void* place) {
    return png_image_write_to_memory(&png, place, &size, 0, image.rgb.data(), 0, nullptr) != 0;
  };
  bool done = write(nullptr);  // tells the size
  bytes.resize(size);
  done = done && write(bytes.data());
  if (!done) {
    throw OperationError(fmt::format("{}: cannot write the image: {}", path.string(), png.message));
  }
  replace_file(path, {std::string_view(bytes).substr(0, size)});
}

}  // namespace haptic
