#include "rt/device/falcon/firmware_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "rt/device/falcon/digest.h"
#include "shared/error.h"
#include "shared/files/regular_file.h"

namespace haptic {
std::optional<std::vector<std::uint8_t>> load_firmware(const FirmwareFile& file) {
  std::error_code error;
  if (!std::filesystem::exists(file.path, error)) return std::nullopt;
  const std::string name = file.path.string();
  const std::string content =
      read_regular_file(file.path, "a firmware image", FirmwareFile::kMaxBytes);
  if (content.size() != file.size) {
    throw InputError(name, "firmware", fmt::format("found {} bytes", content.size()),
                     fmt::format("the {} that the manifest names", file.size));
  }
  const std::vector<std::uint8_t> image(content.begin(), content.end());
  const std::string hash =
      file.hash.starts_with("md5:") ? "md5:" + md5(image) : "sha256:" + sha256(image);
  if (hash != file.hash) {
    throw InputError(name, "firmware", fmt::format("found {}", hash),
                     fmt::format("{} as the manifest names", file.hash));
  }
  if (image[0] != 0xAA || image[1] != 0x08) {
    throw InputError(name, "firmware",
                     fmt::format("found {:02X} {:02X} at its beginning", image[0], image[1]),
                     "the AA 08 of a boot image");
  }
  return image;
}

}  // namespace haptic
