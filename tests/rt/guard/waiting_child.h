#pragma once

#include <sys/types.h>
#include <unistd.h>

namespace haptic {

/// A child process that only waits.
inline pid_t waiting_child() {
  const pid_t pid = fork();
  if (pid == 0) {
    for (;;) pause();
  }
  return pid;
}

}  // namespace haptic
