#pragma once

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>
#include <string>

#include "shared/error.h"

// For signal handlers of memory faults and the like (SIGSEGV, SIGBUS, SIGFPE): they may make system
// calls only.

namespace haptic {

/// Passes a signal that this handler does not treat to the handler installed `before` it, or to the
/// default action, which ends the process: a faulting access is repeated when this returns, a
/// signal sent by another process is raised again.
inline void pass_signal_on(const struct sigaction& before, int number, siginfo_t* info,
                           void* context) {
  const bool is_sent = info->si_code <= 0;
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(number, info, context);
  if (before.sa_handler == SIG_IGN && is_sent) return;
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    return before.sa_handler(number);
  }
  std::signal(number, SIG_DFL);
  if (is_sent) raise(number);
}

/// Exits as `main` does for an InputError: prints the program's name and this line, exit code 2.
/// Runs no destructors.
[[noreturn]] inline void end_for_bad_input(const std::string& line) {
  const auto part = [](const char* text, std::size_t size) {
    return iovec{const_cast<char*>(text), size};
  };
  const iovec parts[] = {
      part(program_invocation_short_name, std::strlen(program_invocation_short_name)),
      part(": ", 2), part(line.data(), line.size()), part("\n", 1)};
  static_cast<void>(!writev(STDERR_FILENO, parts, std::size(parts)));
  _exit(kExitBadInput);
}

}  // namespace haptic
