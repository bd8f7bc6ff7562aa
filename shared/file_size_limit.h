#pragma once

#include <csignal>

namespace haptic {

/// Ignores SIGXFSZ, for the first line of a program: a write beyond the limit of file sizes
/// (`ulimit -f`) then fails with EFBIG, which is reported like a full disk. By default the signal
/// ends the process, and so a daemon whose hand is engaged.
inline void report_file_size_limit() {
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace haptic
