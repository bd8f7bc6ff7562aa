#pragma once

#include <immintrin.h>

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
/// All four equal x.
inline Double4 all(double x) HAPTIC_REALTIME {
  return Double4{x, x, x, x};
}
/// a b + c and c - a b, each rounded once.
inline Double4 multiply_add(Double4 a, Double4 b, Double4 c) HAPTIC_REALTIME {
  return _mm256_fmadd_pd(a, b, c);
}
inline Double4 multiply_subtract(Double4 a, Double4 b, Double4 c) HAPTIC_REALTIME {
  return _mm256_fnmadd_pd(a, b, c);
}
/// The sums of four vectors.
inline Double4 sums(Double4 a, Double4 b, Double4 c, Double4 d) HAPTIC_REALTIME {
  const Double4 ab = _mm256_hadd_pd(a, b), cd = _mm256_hadd_pd(c, d);
  const Double4 low = _mm256_permute2f128_pd(ab, cd, 0x20);
  const Double4 high = _mm256_permute2f128_pd(ab, cd, 0x31);
  return low + high;
}
inline double sum(Double4 v) HAPTIC_REALTIME {
  return (v[0] + v[2]) + (v[1] + v[3]);
}

}  // namespace haptic::simd
