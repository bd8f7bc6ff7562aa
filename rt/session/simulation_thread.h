#pragma once

#include <future>
#include <thread>

#include "rt/servo/simulation_loop.h"
#include "rt/session/realtime_setup.h"
#include "rt/session/session_options.h"

namespace haptic {

/// The thread of a world at a separate rate. It exists from construction on, so that a lock of
/// the process's memory covers its stack, and waits for prepare().
class SimulationThread {
 public:
  /// @param rate_hz of the world; the others outlive this
  SimulationThread(TwoRateWorld& world, Clock& clock, CycleSink& sink, double rate_hz,
                   const SessionOptions& options);
  SimulationThread(const SimulationThread&) = delete;
  SimulationThread& operator=(const SimulationThread&) = delete;
  /// Waits for the end of the step under way.
  ~SimulationThread();

  /// Call once, with memory locked: the thread sets its scheduling, CPU and call filter and runs
  /// the loop. It has nothing to do until the servo has sent the first hand.
  /// @returns what the kernel refused
  RealtimeReport prepare();

  /// @returns false if the step under way has not ended after `seconds`: do not destroy this then
  bool stop_within(double seconds) { return !prepared_ || loop_.stop_within(seconds); }

 private:
  void run(const SessionOptions& options);

  SimulationLoop loop_;
  std::promise<bool> go_;
  std::promise<RealtimeReport> report_;
  bool prepared_ = false;
  std::jthread thread_;
};

}  // namespace haptic
