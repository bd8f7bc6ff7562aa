#pragma once

#include <csignal>

namespace haptic {

/// For the handler of a signal of a fault that is not meant for it: calls the one that was there
/// `before`, or ends the process as if there were no handler. The faulty access is repeated when
/// this returns; what another process sent is raised again.
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

}  // namespace haptic
