#pragma once

#include <time.h>

#include <cstdint>

namespace haptic {

/// Time in which the calling thread was runnable but did not run: the time on the monotonic clock
/// minus the processor time that the kernel accounts to the thread. It includes preemption, waiting
/// for a processor and, where the hypervisor reports it, stolen time, independent of the speed of
/// the code. Interrupt handlers and unreported work of a hypervisor count as time of the thread.
class OffProcessor {
 public:
  /// Shorter absences are not counted: the difference of the two clocks scatters by a few
  /// microseconds, and no preemption is that short.
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
  /// away from it, a lower bound.
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
