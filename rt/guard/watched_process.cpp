#include "rt/guard/watched_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "shared/error.h"

namespace haptic {

// The system calls by number: glibc 2.36 declares them in a header that does not mix with
// <signal.h>.
WatchedProcess::WatchedProcess(pid_t pid)
    : pid_(pid), descriptor_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))), stat_(-1) {
  if (descriptor_ < 0) {
    throw OperationError("process " + std::to_string(pid) + ": " + std::strerror(errno));
  }
  stat_ = open(("/proc/" + std::to_string(pid) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
}

WatchedProcess::~WatchedProcess() {
  if (stat_ >= 0) close(stat_);
  close(descriptor_);
}

WatchedProcess::Doing WatchedProcess::doing() const {
  constexpr unsigned long kExiting = 0x4;                // PF_EXITING of the kernel's task flags
  constexpr unsigned long kKilled = 1 << (SIGKILL - 1);  // sent, not yet taken
  char text[1024];
  const ssize_t length = stat_ >= 0 ? pread(stat_, text, sizeof text - 1, 0) : 0;
  if (length <= 0) return stat_ >= 0 ? Doing::kEnds : Doing::kRuns;  // ESRCH: ended and buried
  text[length] = '\0';
  // "PID (NAME) STATE ...": fields 3, 9 (flags) and 31 (pending signals) of proc(5); the name may
  // contain anything.
  const char* at = std::strrchr(text, ')');
  char state = '?';
  unsigned long flags = 0, pending = 0;
  for (int field = 3; field <= 31; ++field) {
    at = at == nullptr ? nullptr : std::strchr(at, ' ');
    if (at == nullptr) return Doing::kRuns;
    ++at;
    if (field == 3) state = *at;
    if (field == 9) flags = std::strtoul(at, nullptr, 10);
    if (field == 31) pending = std::strtoul(at, nullptr, 10);
  }
  if (state == 'T' || state == 't') return Doing::kStopped;
  return (flags & kExiting) != 0 || (pending & kKilled) != 0 || state == 'Z' || state == 'X'
             ? Doing::kEnds
             : Doing::kRuns;
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
