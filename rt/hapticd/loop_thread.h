#pragma once

#include <cstdint>
#include <future>
#include <thread>

#include "rt/hapticd/options.h"
#include "rt/servo/servo_loop.h"
#include "rt/session/realtime_setup.h"
#include "shared/clock.h"

namespace haptic {

/// The thread of the loop. It exists before memory is locked, so that the lock covers its stack, is
/// made real-time after that, and runs the loop when everything else is ready.
class LoopThread {
 public:
  /// Creates the thread, which waits. All arguments outlive this.
  /// @param report  what prepare() adds to
  LoopThread(ServoLoop& loop, Clock& clock, const Options& options, int cpu,
             RealtimeReport& report);
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;
  /// Ends a thread that has not started its loop; a loop that was started must have ended.
  ~LoopThread();

  /// Once memory is locked: makes the thread real-time and waits until that is done.
  void prepare();
  /// After prepare(): the loop runs.
  void start();
  /// Waits for the end of the loop. @returns how long it ran [s]
  double join();

 private:
  // Not std::latch, which yields the processor: the loop's thread may not once it is filtered.
  std::promise<void> memory_locked_, prepared_;
  std::promise<bool> starts_;
  bool is_prepared_ = false, is_decided_ = false;
  std::int64_t start_ns_ = 0, end_ns_ = 0;
  std::jthread thread_;
};

}  // namespace haptic
