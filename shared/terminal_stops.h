#pragma once

#include <csignal>

namespace haptic {

/// A terminal's suspend key, or output to it from the background, does not stop this process: a
/// daemon and its guard that were started from one script would stand still together, and the
/// outputs keep their last values.
inline void ignore_terminal_stops() {
  for (const int signal : {SIGTSTP, SIGTTIN, SIGTTOU}) std::signal(signal, SIG_IGN);
}

}  // namespace haptic
