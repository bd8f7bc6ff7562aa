#pragma once

#include <xmmintrin.h>

#include "shared/realtime.h"

namespace haptic {

/// During its lifetime, this thread treats denormal numbers as zero (MXCSR bits FTZ and DAZ).
///
/// A vibration that decays exponentially ends in denormals, and each operation on one costs a
/// hundred cycles and more: a scene at rest would be slower than one in contact. The cycle creates
/// one of these, in the daemon and offline alike, so both compute the same bits.
class FlushDenormals {
 public:
  FlushDenormals() HAPTIC_REALTIME : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | kFlushBits); }
  ~FlushDenormals() HAPTIC_REALTIME { _mm_setcsr(saved_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  static constexpr unsigned kFlushBits = 0x8040;  // flush results, and read denormals as zero
  unsigned saved_;
};

}  // namespace haptic
