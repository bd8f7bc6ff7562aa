#include "rt/servo/monotonic_clock.h"

#include <cerrno>
#include <ctime>

namespace haptic {

std::int64_t MonotonicClock::now_ns() const HAPTIC_REALTIME {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

void MonotonicClock::sleep_until(std::int64_t deadline_ns) {
  const timespec deadline{static_cast<time_t>(deadline_ns / 1'000'000'000),
                          static_cast<long>(deadline_ns % 1'000'000'000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr) == EINTR) {
  }
}

}  // namespace haptic
