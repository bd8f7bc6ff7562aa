#pragma once

#include <cstdint>

#include "rt/device/safe_outputs.h"
#include "rt/guard/watched_process.h"

namespace haptic {

/// What became of it; times since react() was called.
struct Reaction {
  bool safe = false;          ///< the last attempt held, after the daemon's end where it ended
  bool ended = false;         ///< the daemon has ended
  std::int64_t safe_ns = -1;  ///< first attempt that held; -1: none
  std::int64_t ended_ns = -1;
  std::uint64_t attempts = 0;
};

/// Ends the daemon and makes its outputs safe, in this order: SIGKILL; attempts at the outputs at
/// once and every 0.2 ms, since a dying process of gigabytes takes its time and need not be waited
/// for; when it is gone one more, because one of its writes may have been under way in the kernel;
/// then the device is released for the next daemon.
/// @param give_up_ns  after which it returns whatever is missing
Reaction react(const WatchedProcess& daemon, SafeOutputs& outputs, std::int64_t give_up_ns);

}  // namespace haptic
