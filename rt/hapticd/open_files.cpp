#include "rt/hapticd/open_files.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "shared/error.h"

namespace haptic {

void require_open_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    throw OperationError(fmt::format("limit of open files: {}", std::strerror(errno)));
  }
  if (limit.rlim_cur >= kNeededOpenFiles) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, kNeededOpenFiles);
  if (limit.rlim_cur < kNeededOpenFiles || setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    throw OperationError(
        fmt::format("limit of open files (ulimit -n): found {}, expected {} or more",
                    limit.rlim_max, kNeededOpenFiles));
  }
}

}  // namespace haptic
