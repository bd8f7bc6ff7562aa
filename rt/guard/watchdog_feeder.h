#pragma once

#include <atomic>
#include <thread>

#include "shared/ipc/guard_pulse.h"

namespace haptic {

/// Tells systemd's watchdog (WatchdogSec= of the guard's unit) that the guard lives, as long as its
/// loop beats: twice in every interval that systemd asks for. A separate thread, since the loop
/// must not block. Does nothing where no watchdog is configured.
class WatchdogFeeder {
 public:
  /// @param pulse of the guard's loop; outlives this
  explicit WatchdogFeeder(const GuardPulseWriter& pulse);
  WatchdogFeeder(const WatchdogFeeder&) = delete;
  WatchdogFeeder& operator=(const WatchdogFeeder&) = delete;
  ~WatchdogFeeder();

 private:
  std::atomic<bool> end_{false};
  std::jthread thread_;
};

}  // namespace haptic
