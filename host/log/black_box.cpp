#include "host/log/black_box.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "shared/error.h"
#include "shared/files/regular_file.h"
#include "shared/ipc/record_fields.h"
#include "shared/printable.h"

namespace haptic {
namespace {

constexpr std::uintmax_t kMaxBytes = std::uintmax_t{1} << 30;

/// The text of a fixed-size field, which may lack the terminating zero.
template <std::size_t N>
std::string text_of(const char (&field)[N]) {
  return {field, strnlen(field, N)};
}

BlackBoxHeader read_header(std::span<const std::byte> bytes, const std::string& path) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw InputError(path, "header", found, expected);
  };
  BlackBoxHeader header{};
  if (bytes.size() < sizeof header) {
    refuse(fmt::format("found {} bytes", bytes.size()),
           fmt::format("at least {} bytes (the file is cut off)", sizeof header));
  }
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != BlackBoxHeader::kMagic) refuse("found foreign content", "a black box");
  if (header.version != BlackBoxHeader::kVersion || header.header_size != sizeof header ||
      header.layout_hash != kTelemetryLayoutHash) {
    refuse(fmt::format("found a black box of hapticd {} in another layout",
                       printable(text_of(header.daemon_version))),
           "one of this version (haptic record --from-box of that version converts it)");
  }
  if (const std::uint64_t sum = header_checksum(header); sum != header.checksum) {
    refuse(fmt::format("found checksum {:016x}", sum),
           fmt::format("{:016x} (the file is damaged)", header.checksum));
  }
  return header;
}

/// Removes the part from the front of `rest` and checks its size and checksum.
std::span<const std::byte> take(std::span<const std::byte>& rest, const BlackBoxHeader::Part& part,
                                const std::string& path, const char* section) {
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw InputError(path, section, found, expected);
  };
  if (part.size > rest.size()) {
    refuse(fmt::format("found {} bytes", rest.size()),
           fmt::format("{} bytes (the file is cut off)", part.size));
  }
  const std::span<const std::byte> bytes = rest.first(static_cast<std::size_t>(part.size));
  if (const std::uint64_t sum = black_box_checksum(bytes); sum != part.checksum) {
    refuse(fmt::format("found checksum {:016x}", sum),
           fmt::format("{:016x} (the file is damaged)", part.checksum));
  }
  rest = rest.subspan(bytes.size());
  return bytes;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

bool is_black_box(const std::filesystem::path& path) {
  std::uint64_t magic = 0;
  const std::string bytes = first_bytes(path, sizeof magic);
  if (bytes.size() < sizeof magic) return false;
  std::memcpy(&magic, bytes.data(), sizeof magic);
  return magic == BlackBoxHeader::kMagic;
}

BlackBox parse_black_box(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  const std::string file = path.string();
  BlackBoxHeader header = read_header(bytes, file);
  header.daemon_version[sizeof header.daemon_version - 1] = '\0';
  header.host[sizeof header.host - 1] = '\0';
  header.kernel[sizeof header.kernel - 1] = '\0';
  std::span<const std::byte> rest = bytes.subspan(sizeof header);
  const auto telemetry = take(rest, header.telemetry, file, "telemetry");
  const auto scene = take(rest, header.scene, file, "scene");
  const auto manifest = take(rest, header.manifest, file, "manifest");
  if (!rest.empty()) {
    throw InputError(file, "manifest", fmt::format("found {} bytes after it", rest.size()),
                     "the end of the file");
  }
  std::vector<std::uint64_t> words(telemetry.size() / 8);
  std::memcpy(words.data(), telemetry.data(), words.size() * 8);
  return {header, TelemetryReader(path, std::move(words)), text_of(scene), text_of(manifest)};
}

BlackBox read_black_box(const std::filesystem::path& path) {
  const std::string bytes = read_regular_file(path, "a black box", kMaxBytes);
  return parse_black_box(std::as_bytes(std::span(bytes)), path);
}

}  // namespace haptic
