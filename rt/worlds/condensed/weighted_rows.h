#pragma once

#include <cstddef>

#include "shared/realtime.h"
#include "shared/simd/simd_target.h"

namespace haptic::condensed {

/// Weighted sums of long rows, compiled for one instruction set. Each value of the result is one
/// chain of fused multiply-adds in the order of the rows, so it has the same bits on every
/// instruction set, in a part of the row and in the whole of it.
struct WeightedRowsKernels {
  /// sum[e] = fma(weights[i], rows[i][e], sum[e]) for i = 0 ... count - 1 and e = 0 ... length - 1.
  /// The rows need no alignment.
  void (*add_single)(const float* const* rows, const double* weights, std::size_t count,
                     std::size_t length, double* sum) HAPTIC_REALTIME;
  /// The same for rows of double.
  void (*add)(const double* const* rows, const double* weights, std::size_t count,
              std::size_t length, double* sum) HAPTIC_REALTIME;
};

const WeightedRowsKernels& weighted_rows_kernels(SimdTarget target);

}  // namespace haptic::condensed
