#pragma once

#include <time.h>

#include <cstdint>

namespace haptic {

/// Time in which the calling thread did not run though it wanted to, measured: what passed on the
/// monotonic clock less what the kernel says that the thread had of a processor. Preempted, waiting
/// for its turn and, where the hypervisor reports it, stolen time are in it, however fast or slow
/// the thread's own code is; interrupt handlers and what a hypervisor does in the thread's name
/// count as the thread's own.
class OffProcessor {
 public:
  /// Below this an absence is no interruption: differences of the two clocks scatter by a few
  /// microseconds, and nothing that takes the processor away gives it back so soon.
  static constexpr double kInterruption_us = 10.0;

  void begin() {
    processor_ = now(CLOCK_THREAD_CPUTIME_ID);
    clock_ = now(CLOCK_MONOTONIC);
  }
  void end() {
    elapsed_ = now(CLOCK_MONOTONIC) - clock_;
    on_ = now(CLOCK_THREAD_CPUTIME_ID) - processor_;
  }

  /// Between begin and end [us]: by the clock; on a processor, with the reading of both clocks;
  /// away from it, so rather too little.
  double elapsed_us() const { return 1e-3 * static_cast<double>(elapsed_); }
  double on_us() const { return 1e-3 * static_cast<double>(on_); }
  double away_us() const { return elapsed_us() - on_us(); }
  bool interrupted() const { return away_us() > kInterruption_us; }

 private:
  static std::int64_t now(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
  }

  std::int64_t clock_ = 0, processor_ = 0, elapsed_ = 0, on_ = 0;
};

}  // namespace haptic
