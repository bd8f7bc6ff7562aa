#pragma once

#include <cstddef>

#include "rt/dynamics/quartic_layout.h"
#include "shared/realtime.h"
#include "shared/simd/simd_target.h"

namespace haptic {

/// Arrays of one evaluation, each aligned to a cache line and sized by a QuarticLayout.
struct QuarticScratch {
  const double* x;  ///< q_0 .. q_r, zeros to stride
  double* sums;     ///< sum_count
  double* dots;     ///< dot_count
  double* hessian;  ///< n x stride: lower triangle, zeros to the end of each row's last chunk
};

/// Kernels compiled for one instruction set.
struct QuarticKernels {
  /// Hessian of sum c_ijkl x_i x_j x_k x_l at `x`, with its diagonal halved: the Hessian is the
  /// stored triangle plus its transpose.
  void (*hessian)(const double* c, const QuarticLayout&, const QuarticScratch&) HAPTIC_REALTIME;
  void (*hessian_float)(const float* c, const QuarticLayout&,
                        const QuarticScratch&) HAPTIC_REALTIME;
  /// Value of the quartic. @param x as in QuarticScratch
  double (*value)(const double* c, const QuarticLayout&, const double* x) HAPTIC_REALTIME;
  double (*value_float)(const float* c, const QuarticLayout&, const double* x) HAPTIC_REALTIME;
};

const QuarticKernels& quartic_kernels(SimdTarget target);

}  // namespace haptic
