#pragma once

#include <csignal>

namespace haptic {

/// Ignores SIGTSTP, SIGTTIN and SIGTTOU. Without it, Ctrl-Z would stop a daemon and the guard that
/// was started from the same script, and the device would keep its last outputs.
inline void ignore_terminal_stops() {
  for (const int signal : {SIGTSTP, SIGTTIN, SIGTTOU}) std::signal(signal, SIG_IGN);
}

}  // namespace haptic
