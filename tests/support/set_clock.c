// Preloaded into a program under test: CLOCK_MONOTONIC is a counter. Each reading is
// HAPTIC_TEST_CLOCK_STEP_MS after the one before; with 0 the clock stands still.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static atomic_llong readings;

int clock_gettime(clockid_t clock, struct timespec* now) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const char* step = getenv("HAPTIC_TEST_CLOCK_STEP_MS");
  if (clock != CLOCK_MONOTONIC || !step) return real(clock, now);
  const long long ms = 1000000 + atomic_fetch_add(&readings, 1) * atoll(step);
  now->tv_sec = ms / 1000;
  now->tv_nsec = ms % 1000 * 1000000;
  return 0;
}
