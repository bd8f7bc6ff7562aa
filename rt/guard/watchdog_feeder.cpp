#include "rt/guard/watchdog_feeder.h"

#include <systemd/sd-daemon.h>

#include <algorithm>
#include <chrono>

#include "shared/journal/message.h"

namespace haptic {
namespace {

constexpr std::chrono::microseconds kTurn{50'000};  // how often the guard's end is checked

}  // namespace

WatchdogFeeder::WatchdogFeeder(const GuardPulseWriter& pulse) {
  std::uint64_t interval_us = 0;
  if (sd_watchdog_enabled(0, &interval_us) <= 0) return;
  const std::chrono::microseconds half(interval_us / 2);
  thread_ = std::jthread([this, &pulse, half] {
    std::uint64_t beats = 0;
    std::chrono::microseconds passed = half;  // the first is due at once
    while (!end_.load(std::memory_order_relaxed)) {
      if (passed >= half && pulse.beats() != beats) {
        beats = pulse.beats();
        passed = passed.zero();
        message::notify("WATCHDOG=1");
      }
      std::this_thread::sleep_for(std::min(kTurn, half));
      passed += std::min(kTurn, half);
    }
  });
}

WatchdogFeeder::~WatchdogFeeder() {
  end_ = true;
}

}  // namespace haptic
