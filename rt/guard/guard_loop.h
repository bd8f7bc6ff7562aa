#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rt/device/safe_outputs.h"
#include "rt/guard/guard_signals.h"
#include "rt/guard/watched_process.h"
#include "shared/ipc/guard_pulse.h"
#include "shared/ipc/pulse.h"
#include "shared/journal/message.h"

namespace haptic {

struct GuardSettings {
  double patience_s = 0.010;  ///< longest standstill of the cycle counter; four periods if longer
  double give_up_s = 2.0;     ///< for how long to try to make the outputs safe
};

/// Waits for a daemon of the name, watches it, reacts when it ends or hangs, and waits for
/// the next one.
///
/// It reads the daemon's pulse (mapped read-only) and keeps a pidfd; the daemon never waits for it.
/// While it watches, it makes three system calls a millisecond, and four times a second those of a
/// proof that it would reach the outputs; the daemon counts as guarded only while the proof holds.
/// A change of the daemon's scene does not affect it, because the pulse belongs to the loop.
///
/// It ends when a signal asks it to, but not while the daemon drives: it goes on watching for a
/// second, in which a daemon that was asked to end as well ends; then it gives notice, which the
/// daemon answers with a fault and zero outputs.
class GuardLoop {
 public:
  /// @param own  the guard's own pulse: it beats in every turn, as long as the loop reacts
  GuardLoop(std::string name, const GuardSettings& settings, SafeOutputs& outputs,
            GuardPulseWriter& own, GuardSignals& signals);

  void run();

 private:
  /// Searches for a daemon of the name. @returns whether one runs
  bool find();
  /// Until the daemon has ended or hangs and the outputs are safe, or the guard may end.
  void watch();
  void keep_pulse();
  void prove_reach();
  bool may_end();
  void wait(int descriptor, std::int64_t ns);

  std::string name_;
  GuardSettings settings_;
  SafeOutputs& outputs_;
  GuardPulseWriter& own_;
  GuardSignals& signals_;
  std::string obstacle_;  // why a daemon could not be watched
  message::OncePerSecond told_no_pulse_;
  int obstacle_for_ = 0;       // searches in a row; reported once
  std::uint64_t guarded_ = 0;  // instance of the last daemon that was watched
  std::unique_ptr<PulseReader> pulse_;
  std::unique_ptr<WatchedProcess> daemon_;
  OutputReach reach_;  // the last proof
  std::int64_t prove_at_ns_ = 0;
  std::int64_t asked_at_ns_ = 0;  // when a signal asked it to end; 0: none has
  bool gave_notice_ = false;
};

}  // namespace haptic
