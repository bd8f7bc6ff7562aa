#pragma once

#include <cstddef>

#include "shared/realtime.h"
#include "shared/simd/simd_target.h"

namespace haptic {

/// A symmetric matrix H = T + T^T, stored as the lower triangle T with the diagonal halved. Row m
/// begins at values + m stride, aligned to a cache line, and has zeros to the end of its last chunk
/// of eight; `stride` is a multiple of eight. Vectors used with it are padded with zeros to
/// `stride`.
struct HalvedTriangle {
  const double* values;
  std::size_t rows;
  std::size_t stride;
};

/// Working memory of SymmetricKernels::solve [doubles]: two triangles, a vector, a block.
constexpr std::size_t solve_work(std::size_t stride) {
  return 2 * stride * stride + stride + 64;
}

/// Kernels compiled for one instruction set.
struct SymmetricKernels {
  /// y = H x. @param dots working memory, 8 stride doubles
  void (*product)(const HalvedTriangle& H, const double* x, double* y,
                  double* dots) HAPTIC_REALTIME;

  /// The first `count` rows and columns of H, both triangles.
  /// @param full count x count, any alignment
  void (*unpack)(const HalvedTriangle& H, std::size_t count, double* full) HAPTIC_REALTIME;

  /// Solves (scale H + shift I) z = b by square-root-free Cholesky, U D U^T.
  /// @param b      padded; the solution on return
  /// @param work   solve_work(stride) doubles, aligned to a cache line
  /// @returns false, b undefined, unless every pivot is > 0 (an indefinite matrix, or NaN)
  bool (*solve)(const HalvedTriangle& H, double scale, double shift, double* b,
                double* work) HAPTIC_REALTIME;
};

const SymmetricKernels& symmetric_kernels(SimdTarget target);

}  // namespace haptic
