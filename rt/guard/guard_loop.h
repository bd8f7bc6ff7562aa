#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rt/device/safe_outputs.h"
#include "rt/guard/watched_process.h"
#include "shared/ipc/guard_pulse.h"
#include "shared/ipc/pulse.h"

namespace haptic {

struct GuardSettings {
  double patience_s = 0.010;  ///< longest standstill of the cycle counter; four periods if longer
  double give_up_s = 2.0;     ///< for how long to try to make the outputs safe
};

/// Waits for a daemon of the name, watches it, reacts when it ends or hangs, and waits for
/// the next one.
///
/// It reads the daemon's pulse (mapped read-only) and keeps a pidfd; the daemon never waits for it.
/// While it watches, it makes two system calls a millisecond and allocates nothing. A change of the
/// daemon's scene does not affect it, because the pulse belongs to the loop.
class GuardLoop {
 public:
  /// @param stop readable when the guard must end (a signalfd); owned by the caller
  /// @param own  the guard's own pulse: it beats in every turn, as long as the loop reacts
  GuardLoop(std::string name, const GuardSettings& settings, SafeOutputs& outputs,
            GuardPulseWriter& own, int stop);

  void run();

 private:
  /// Searches for a daemon of the name. @returns whether one runs
  bool find();
  /// Until the daemon ends, hangs, or the guard is asked to stop. @returns true in the last case
  bool watch();
  bool wait(int descriptor, std::int64_t ns);

  std::string name_;
  GuardSettings settings_;
  SafeOutputs& outputs_;
  GuardPulseWriter& own_;
  int stop_;
  std::string obstacle_;       // why a daemon could not be watched
  int obstacle_for_ = 0;       // searches in a row; reported once
  std::uint64_t guarded_ = 0;  // instance of the last daemon that was watched
  std::unique_ptr<PulseReader> pulse_;
  std::unique_ptr<WatchedProcess> daemon_;
};

}  // namespace haptic
