#pragma once

#include <atomic>
#include <thread>

#include "shared/ipc/guard_pulse.h"

namespace haptic {

/// Sends the keep-alive to systemd's watchdog (WatchdogSec= of the guard's unit) twice per
/// interval, as long as the guard's loop beats. A separate thread is used because the loop must not
/// block. Does nothing if no watchdog is configured.
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
