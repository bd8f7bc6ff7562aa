#pragma once

#include <cassert>
#include <cstdio>
#include <cstdlib>

/// Debug-build check of a programmer's error; compiled out with NDEBUG, allowed in the loop.
#define HAPTIC_ASSERT(condition) assert(condition)

/// Always-on check of a programmer's error, outside the loop only. Bad *input* is an InputError.
#define HAPTIC_DEMAND(condition)                                                          \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: demand failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)
