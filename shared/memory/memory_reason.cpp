#include "shared/memory/memory_reason.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

namespace haptic {
namespace {

double locked_bytes() {
  std::ifstream file("/proc/self/status");
  for (std::string key; file >> key;) {
    double kilobytes = 0.0;
    if (key == "VmLck:" && file >> kilobytes) return kilobytes * 1024.0;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0.0;
}

}  // namespace

std::string memory_reason(int error) {
  const std::string reason = std::strerror(error);
  rlimit limit{};
  if ((error != EAGAIN && error != ENOMEM) || getrlimit(RLIMIT_MEMLOCK, &limit) != 0 ||
      limit.rlim_cur == RLIM_INFINITY) {
    return reason;
  }
  return fmt::format("{}; {:.1f} MB of memory are locked, of {:.1f} MB (LimitMEMLOCK, ulimit -l)",
                     reason, locked_bytes() * 1e-6, static_cast<double>(limit.rlim_cur) * 1e-6);
}

}  // namespace haptic
