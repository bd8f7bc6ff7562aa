#include "host/vega/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
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

void replace_file(const std::filesystem::path& path, std::string_view bytes) {
  const std::string temporary = fmt::format("{}.tmp{}", path.string(), ::getpid());
  const auto fail = [&](const char* what) {
    const int code = errno;
    ::unlink(temporary.c_str());
    throw OperationError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(code)));
  };
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) fail("cannot create the file");
  const auto fail_open = [&](const char* what) {
    const int code = errno;
    ::close(fd);
    errno = code;
    fail(what);
  };
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_open("cannot write");
    done += static_cast<std::size_t>(count);
  }
  if (::fsync(fd) != 0 && errno != EINVAL) fail_open("cannot sync");
  if (::close(fd) != 0) fail("cannot close");
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail("cannot rename into place");
}

}  // namespace haptic
