#pragma once

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>
#include <string>

#include "shared/error.h"

// For handlers of the signals of faults (SIGSEGV, SIGBUS, ...): system calls only.

namespace haptic {

/// For a fault that the handler is not meant for: calls the one that was there `before`, or ends
/// the process as if there were no handler. The faulty access is repeated when this returns; what
/// another process sent is raised again.
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

/// Ends the process as `main` does for an InputError: this line after the program's name, exit
/// code 2. No destructor runs.
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
