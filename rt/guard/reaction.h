#pragma once

#include <cstdint>

#include "rt/device/safe_outputs.h"
#include "rt/guard/watched_process.h"

namespace haptic {

/// Result of react(); times since it was called.
struct Reaction {
  bool safe = false;          ///< the last attempt succeeded, after the daemon's end if it ended
  bool ended = false;         ///< the daemon has ended
  std::int64_t safe_ns = -1;  ///< first successful attempt; -1: none
  std::int64_t ended_ns = -1;
  std::uint64_t attempts = 0;
};

/// Ends the daemon and makes its outputs safe, in this order: SIGKILL; attempts at once and every
/// 0.2 ms, without waiting for the process, because the exit of a process with gigabytes of memory
/// takes long; one more attempt after its end, because a write may have been in progress in the
/// kernel; release of the device for the next daemon.
/// @param give_up_ns  time after which it returns even if a step has not succeeded
Reaction react(const WatchedProcess& daemon, SafeOutputs& outputs, std::int64_t give_up_ns);

}  // namespace haptic
