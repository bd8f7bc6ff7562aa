#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace haptic {

/// The firmware, which the Falcon loses at power-off. Its licence forbids shipping it in an open
/// tree (docs/methods/devices.md, "Firmware licence"), so the user supplies the file and the
/// manifest says which one it must be.
///
///   [firmware]
///   file = "/etc/hapticd/firmware/novint-falcon.bin"
///   size = 8492                                       # bytes
///   hash = "md5:63e248bf0b9e63d4b71da5e4adeeb749"     # or "sha256:..." (64 digits)
struct FirmwareFile {
  static constexpr std::int64_t kMaxBytes = 256 * 1024;  ///< the DSP's flash and RAM hold less
  std::filesystem::path path;
  std::size_t size = 0;
  std::string hash;  ///< "md5:" or "sha256:" and lower-case hexadecimal digits
};

/// The image, checked: size, hash, and that it begins as a boot image does (AA 08).
/// @returns nothing if there is no such file: a device that already runs needs none
/// @throws InputError with one line that says which check failed, OperationError if it is there but
///         cannot be read
std::optional<std::vector<std::uint8_t>> load_firmware(const FirmwareFile& file);

}  // namespace haptic
