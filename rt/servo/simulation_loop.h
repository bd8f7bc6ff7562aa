#pragma once

#include <atomic>
#include <cstdint>

#include "rt/servo/two_rate_world.h"
#include "shared/clock.h"
#include "shared/ipc/cycle_sink.h"

namespace haptic {

/// Runs the world of a two-rate scene in separate slots until stop() is called.
class SimulationLoop {
 public:
  /// All outlive the loop. @param rate_hz of the world, > 0
  SimulationLoop(TwoRateWorld& world, Clock& clock, CycleSink& sink, double rate_hz);

  /// Blocks until stop(). Slots that passed without a step are skipped and counted (world_missed).
  void run();

  /// From any thread: ends the loop after the step under way.
  void stop() { stop_.store(true, std::memory_order_relaxed); }
  /// Stops the loop and waits until it has ended. @returns false if it has not ended after
  /// `seconds`, or never began
  bool stop_within(double seconds);

 private:
  TwoRateWorld& world_;
  Clock& clock_;
  CycleSink& sink_;
  std::int64_t period_ns_;
  std::atomic<bool> stop_{false}, done_{false};
};

}  // namespace haptic
