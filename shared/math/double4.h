#pragma once

#include <cstring>

#include "shared/realtime.h"

/// Vectors of four doubles, one register of x86-64-v3.
namespace haptic::simd {

using Float4 = float __attribute__((vector_size(16)));
using Double2 = double __attribute__((vector_size(16)));
using Double4 = double __attribute__((vector_size(32)));

inline Double4 load4(const float* p) HAPTIC_REALTIME {
  Float4 v;
  std::memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, Double4);
}
inline Double4 load4(const double* p) HAPTIC_REALTIME {
  Double4 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store4(Double4 v, double* p) HAPTIC_REALTIME {
  std::memcpy(p, &v, sizeof v);
}
inline double sum(Double4 v) HAPTIC_REALTIME {
  return (v[0] + v[2]) + (v[1] + v[3]);
}

}  // namespace haptic::simd
