#pragma once

/// Marks a function of the haptic loop: it never throws, and under clang >= 20 RealtimeSanitizer
/// and -Wfunction-effects check that it neither allocates, locks nor makes a system call.
/// Placed like `noexcept`:  `void step() HAPTIC_REALTIME;`
#if defined(__clang__) && __clang_major__ >= 20
#define HAPTIC_REALTIME noexcept [[clang::nonblocking]]
#else
#define HAPTIC_REALTIME noexcept
#endif
