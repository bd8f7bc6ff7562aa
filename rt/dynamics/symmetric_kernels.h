#pragma once

#include <cstddef>

#include "shared/realtime.h"
#include "shared/simd/simd_target.h"

namespace haptic {

/// A symmetric matrix H = T + T^T as the lower triangle T, diagonal halved: row m at `values` +
/// m `stride`, zeros to the end of the row's last chunk of eight, aligned to a cache line, `stride`
/// a multiple of eight. Vectors that go with it are padded with zeros to `stride`.
struct HalvedTriangle {
  const double* values;
  std::size_t rows;
  std::size_t stride;
};

/// Doubles of working memory of SymmetricKernels::solve: two triangles, a vector, a block.
constexpr std::size_t solve_work(std::size_t stride) {
  return 2 * stride * stride + stride + 64;
}

/// Entry points of one instruction set.
struct SymmetricKernels {
  /// y = H x. @param dots working memory, stride chunks of eight
  void (*product)(const HalvedTriangle& H, const double* x, double* y,
                  double* dots) HAPTIC_REALTIME;

  /// H with both triangles, its first `count` rows and columns.
  /// @param full count x count, any alignment
  void (*unpack)(const HalvedTriangle& H, std::size_t count, double* full) HAPTIC_REALTIME;

  /// Solves (scale H + shift I) z = b by Cholesky in its square-root-free form L D L^T.
  /// @param b      padded; the solution on return
  /// @param work   solve_work(stride) doubles, aligned to a cache line
  /// @returns false, b undefined, unless every pivot is > 0 (an indefinite matrix, or NaN)
  bool (*solve)(const HalvedTriangle& H, double scale, double shift, double* b,
                double* work) HAPTIC_REALTIME;
};

const SymmetricKernels& symmetric_kernels(SimdTarget target);

}  // namespace haptic
