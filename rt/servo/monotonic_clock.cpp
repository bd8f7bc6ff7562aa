#include "rt/servo/monotonic_clock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>

namespace haptic {
namespace {

std::int64_t read_ns(clockid_t clock) HAPTIC_REALTIME {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

int nanosleep_until(const timespec& deadline) {
  return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr);
}

// Waits on a futex that is never woken, with an absolute time-out on CLOCK_MONOTONIC. @returns the
// kernel's result
int futex_wait_until(const timespec& deadline) {
  std::uint32_t word = 0;
  if (syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0u, &deadline, nullptr,
              FUTEX_BITSET_MATCH_ANY) == 0) {
    return EINTR;  // spurious wake-up: check the time again
  }
  return errno == ETIMEDOUT ? 0 : errno;
}

}  // namespace

MonotonicClock::MonotonicClock(Sleep sleep) : sleep_(sleep != nullptr ? sleep : nanosleep_until) {}

std::int64_t MonotonicClock::now_ns() const HAPTIC_REALTIME {
  return read_ns(CLOCK_MONOTONIC);
}

void MonotonicClock::sleep_until(std::int64_t deadline_ns) {
  if (deadline_ns <= 0) return;  // before the clock began
  const timespec deadline{static_cast<time_t>(deadline_ns / 1'000'000'000),
                          static_cast<long>(deadline_ns % 1'000'000'000)};
  int ended = EINTR;
  while (ended == EINTR) ended = sleep_(deadline);
  if (ended == 0) return;
  failed_.fetch_add(1, std::memory_order_relaxed);
  ended = EINTR;
  while (ended == EINTR) ended = futex_wait_until(deadline);
  if (ended != 0) std::abort();
}

// CLOCK_MONOTONIC is read last, so the time between the two reads makes the result too short.
ClockReading MonotonicClock::read() const HAPTIC_REALTIME {
  const std::int64_t since_boot = read_ns(CLOCK_BOOTTIME);
  const std::int64_t now = read_ns(CLOCK_MONOTONIC);
  return {now, since_boot - now};
}

}  // namespace haptic
