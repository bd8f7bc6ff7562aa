#pragma once

#include <atomic>
#include <cstdint>

#include "rt/servo/haptic_cycle.h"
#include "shared/ipc/pulse.h"

namespace haptic {

/// Runs the cycle in its slots until stop() is called: wait, then sense ... publish.
class ServoLoop {
 public:
  /// All outlive the loop. @param rate_hz > 0 @param pulse of the daemon, or nullptr
  ServoLoop(HapticCycle& cycle, Clock& clock, double rate_hz, PulseWriter* pulse = nullptr);

  /// Blocks until stop() or, if `cycles` > 0, until that many cycles have run; ends with zero
  /// output.
  void run(std::uint64_t cycles);

  /// From any thread: ends the loop, after a controlled stop if a force acts (at most
  /// limits.stop_s), else after the present cycle.
  void stop() { stop_.store(true, std::memory_order_relaxed); }
  /// Heartbeat of the supervisor, in every turn. After the first, an interval of more than
  /// kSupervisorPatience_ns is a fault (supervisor_lost): no operator command would be served.
  void check_supervisor() { supervisor_beats_.fetch_add(1, std::memory_order_relaxed); }
  static constexpr std::int64_t kSupervisorPatience_ns = 1'000'000'000;
  bool done() const { return done_.load(std::memory_order_acquire); }

 private:
  void count_disturbances();
  void watch_supervisor(std::int64_t now_ns) HAPTIC_REALTIME;

  HapticCycle& cycle_;
  Clock& clock_;
  PulseWriter* pulse_;
  std::int64_t period_ns_;
  std::uint64_t cycles_between_counts_;
  std::atomic<bool> stop_{false};
  std::atomic<bool> done_{false};
  std::atomic<std::uint64_t> supervisor_beats_{0};
  std::uint64_t supervisor_heard_ = 0;
  std::int64_t supervisor_silent_ns_ = 0, watched_ns_ = 0;
  std::uint64_t minor_faults_ = 0, major_faults_ = 0, involuntary_switches_ = 0;  ///< at the start
};

}  // namespace haptic
