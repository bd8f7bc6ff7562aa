#include "host/files/replace_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/files/temporary_file.h"
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
  TemporaryFile file(path);
  for (const std::string_view piece : pieces) {
    if (write_all(file.descriptor(), piece)) continue;
    throw OperationError(fmt::format("{}: cannot write: {}", path.string(), std::strerror(errno)));
  }
  file.commit();
}

}  // namespace haptic
