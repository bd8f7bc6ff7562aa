#include "shared/files/regular_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>

#include "shared/error.h"

namespace haptic {
namespace {

/// What a file is that is not regular.
std::string_view kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "found a folder";
    case S_IFIFO:
      return "found a FIFO";
    case S_IFSOCK:
      return "found a socket";
    default:
      return "found a device";
  }
}

std::string reason_of(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return "no such file";
    case ENXIO:  // a FIFO would be opened
      return "found a socket";
    default:
      return fmt::format("cannot be opened ({})", std::strerror(error));
  }
}

/// Reads until `bytes` is full or the file ends. @returns bytes read; none if reading fails
std::optional<std::size_t> read_up_to(int file, char* bytes, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = read(file, bytes + done, count - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

InputError too_large(const std::filesystem::path& path, const std::string& found,
                     std::string_view expected, std::uint64_t max_bytes) {
  return InputError(path.string(), "", found,
                    fmt::format("{} of at most {}", expected, size_text(max_bytes)));
}

enum class End : std::uint8_t { kFirst, kLast };

std::string bytes_at(End end, const std::filesystem::path& path, std::size_t count) {
  try {
    const RegularFile file =
        open_regular_file(path, "a file", std::numeric_limits<std::uint64_t>::max());
    const std::uint64_t begin = end == End::kLast && file.size > count ? file.size - count : 0;
    std::string bytes(std::min<std::uint64_t>(file.size, count), '\0');
    if (lseek(file.descriptor.get(), static_cast<off_t>(begin), SEEK_SET) < 0) return {};
    bytes.resize(read_up_to(file.descriptor.get(), bytes.data(), bytes.size()).value_or(0));
    return bytes;
  } catch (const InputError&) {
    return {};
  }
}

}  // namespace

RegularFile open_regular_file(const std::filesystem::path& path, std::string_view expected,
                              std::uint64_t max_bytes) {
  // O_NONBLOCK: opening a FIFO does not wait for its writer. It means nothing for a regular file.
  RegularFile file{FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)),
                   0};
  if (file.descriptor.get() < 0) throw InputError(path.string(), "", reason_of(errno), expected);
  struct stat status = {};
  if (fstat(file.descriptor.get(), &status) != 0) {
    throw InputError(path.string(), "", reason_of(errno), expected);
  }
  if (!S_ISREG(status.st_mode)) {
    throw InputError(path.string(), "", kind_of(status.st_mode), expected);
  }
  file.size = static_cast<std::uint64_t>(status.st_size);
  if (file.size > max_bytes) {
    throw too_large(path, fmt::format("found {}", size_text(file.size)), expected, max_bytes);
  }
  return file;
}

std::string read_regular_file(const std::filesystem::path& path, std::string_view expected,
                              std::uint64_t max_bytes) {
  const RegularFile file = open_regular_file(path, expected, max_bytes);
  std::string text;
  for (;;) {
    const std::size_t done = text.size();
    // Place for what it had when it was opened, and a byte that tells whether it has grown.
    text.resize(std::min(std::max<std::uint64_t>(file.size, 2 * done), max_bytes) + 1);
    const std::optional<std::size_t> got =
        read_up_to(file.descriptor.get(), text.data() + done, text.size() - done);
    if (!got) {
      throw InputError(path.string(), "", fmt::format("cannot be read ({})", std::strerror(errno)),
                       expected);
    }
    const bool ended = done + *got < text.size();
    text.resize(done + *got);
    if (text.size() > max_bytes) {
      throw too_large(path, fmt::format("found more than {}", size_text(max_bytes)), expected,
                      max_bytes);
    }
    if (ended) return text;
  }
}

std::string first_bytes(const std::filesystem::path& path, std::size_t count) {
  return bytes_at(End::kFirst, path, count);
}

std::string last_bytes(const std::filesystem::path& path, std::size_t count) {
  return bytes_at(End::kLast, path, count);
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1024.0;
  std::size_t unit = 0;
  while (value >= 1024.0 && unit + 1 < kUnits.size()) {
    value /= 1024.0;
    ++unit;
  }
  // Rounded, a size just above a limit would read as the limit.
  return value == static_cast<double>(static_cast<std::uint64_t>(value))
             ? fmt::format("{:.0f} {}", value, kUnits[unit])
             : fmt::format("{} bytes ({:.1f} {})", bytes, value, kUnits[unit]);
}

}  // namespace haptic
