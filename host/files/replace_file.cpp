#include "host/files/replace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "shared/error.h"

namespace haptic {
namespace {

bool write_all(int fd, std::string_view bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

void replace_file(const std::filesystem::path& path,
                  std::initializer_list<std::string_view> pieces) {
  const std::string temporary = fmt::format("{}.tmp{}", path.string(), ::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const char* failed = fd < 0 ? "cannot create the file" : nullptr;
  for (const std::string_view piece : pieces) {
    if (failed == nullptr && !write_all(fd, piece)) failed = "cannot write";
  }
  // EINVAL: the file type does not support sync.
  if (failed == nullptr && ::fsync(fd) != 0 && errno != EINVAL) failed = "cannot sync";
  int code = errno;
  if (fd >= 0 && ::close(fd) != 0 && failed == nullptr) {
    failed = "cannot close";
    code = errno;
  }
  if (failed == nullptr && ::rename(temporary.c_str(), path.c_str()) != 0) {
    failed = "cannot rename into place";
    code = errno;
  }
  if (failed != nullptr) {
    ::unlink(temporary.c_str());
    throw OperationError(fmt::format("{}: {}: {}", path.string(), failed, std::strerror(code)));
  }
  // After a power cut the new name exists only if its folder is on the disk, too.
  const std::filesystem::path parent = path.has_parent_path() ? path.parent_path() : ".";
  const int folder = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

}  // namespace haptic
