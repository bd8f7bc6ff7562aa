#pragma once

#include <cstdint>
#include <ctime>

#include "shared/realtime.h"

namespace haptic {

/// CLOCK_MONOTONIC in nanoseconds, read without a system call. Code in the loop uses its Clock
/// instead (shared/clock.h), so that tests can script the time.
inline std::int64_t monotonic_ns() HAPTIC_REALTIME {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace haptic
