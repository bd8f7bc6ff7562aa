#include "rt/guard/watched_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "shared/error.h"

namespace haptic {

// The system calls by number: glibc 2.36 declares them in a header that does not mix with
// <signal.h>.
WatchedProcess::WatchedProcess(pid_t pid)
    : pid_(pid), descriptor_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {
  if (descriptor_ < 0) {
    throw OperationError("process " + std::to_string(pid) + ": " + std::strerror(errno));
  }
}

WatchedProcess::~WatchedProcess() {
  close(descriptor_);
}

bool WatchedProcess::ended(std::int64_t timeout_ns) const {
  pollfd end{descriptor_, POLLIN, 0};
  const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000),
                         static_cast<long>(timeout_ns % 1'000'000'000)};
  return ppoll(&end, 1, &timeout, nullptr) > 0;
}

bool WatchedProcess::may_kill() const {
  return syscall(SYS_pidfd_send_signal, descriptor_, 0, nullptr, 0) == 0;
}

void WatchedProcess::kill() const {
  syscall(SYS_pidfd_send_signal, descriptor_, SIGKILL, nullptr, 0);
}

}  // namespace haptic
