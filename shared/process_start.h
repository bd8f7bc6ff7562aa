#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string_view>

namespace haptic {

/// For the first line of a program.
///
/// A standard descriptor that the program was started without would be given to the next file that
/// is opened, as the telemetry, and messages would be written into it. It leads to /dev/null here,
/// opened the wrong way round: who writes to it or reads from it gets an error, as before.
///
/// SIGXFSZ is ignored: a write beyond the limit of file sizes (`ulimit -f`) then fails with EFBIG,
/// which is reported like a full disk. By default the signal ends the process, and so a daemon
/// whose hand is engaged.
///
/// A stack that may not grow enough (`ulimit -s`) would end the process without a word; the limit
/// is raised where that is allowed, and otherwise the process ends with one.
inline void prepare_process() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    // Takes this number, the lowest that is free; it stays open for the life of the process.
    static_cast<void>(open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
  std::signal(SIGXFSZ, SIG_IGN);
  constexpr rlim_t kStackBytes = 1 << 20;
  rlimit stack{};
  if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= kStackBytes) return;
  stack = {kStackBytes, std::max(stack.rlim_max, kStackBytes)};
  if (setrlimit(RLIMIT_STACK, &stack) == 0) return;
  constexpr std::string_view kLine = "found a stack limit below 1 MiB, expected more (ulimit -s)\n";
  static_cast<void>(!write(STDERR_FILENO, kLine.data(), kLine.size()));
  _exit(2);
}

}  // namespace haptic
