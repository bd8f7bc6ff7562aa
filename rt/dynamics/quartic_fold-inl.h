// Per-target include: computes dot products and gradients from the running sums of one bundle
// (quartic_kernels.cpp).
#if defined(HAPTIC_DYNAMICS_QUARTIC_FOLD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HAPTIC_DYNAMICS_QUARTIC_FOLD_INL_H_
#undef HAPTIC_DYNAMICS_QUARTIC_FOLD_INL_H_
#else
#define HAPTIC_DYNAMICS_QUARTIC_FOLD_INL_H_
#endif

#include "rt/dynamics/quartic_layout.h"
#include "rt/dynamics/quartic_stream-inl.h"
#include "shared/simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

/// Adds the kWidth columns at m0: dots[m][k] += x h, gradients[m] += h x_k, gradients[k] += h x_m
/// for the sum h of every two outside indices k <= m. Initialises the gradients of the columns.
/// @param x      coordinates of the bundle
/// @param dots   row m is row `before` + m of a triangle; its first `before` entries belong to
///               other bundles
/// @tparam kFirst  the dots are initialised here (before = 0)
template <std::size_t kWidth, bool kFirst>
HWY_NOINLINE void fold_columns(const Bundle bundle, Lanes x, double* dots, std::size_t before,
                               std::size_t m0, double* gradients) {
  const double* h[kWidth];
  double* dot[kWidth];
  Lanes x_m[kWidth], gradient[kWidth];
  HAPTIC_UNROLL for (std::size_t j = 0; j < kWidth; ++j) {
    const std::size_t m = m0 + j, row = before + m;
    h[j] = bundle.sums + column_at(m) + kPairs * kLanes;
    dot[j] = dots + (row * (row + 1) / 2 + before) * kLanes;
    x_m[j] = load(bundle.outside + m * kLanes);
    gradient[j] = hn::Zero(kTag);
  }
  const auto add_dot = [x](double* at, Lanes sum) HWY_ATTR {
    store(kFirst ? hn::Mul(x, sum) : hn::MulAdd(x, sum, load(at)), at);
  };
  const std::size_t end = m0 * kLanes;
  for (std::size_t k = 0; k < end; k += kLanes) {
    const Lanes x_k = load(bundle.outside + k);
    Lanes gradient_k = load(gradients + k);
    HAPTIC_UNROLL for (std::size_t j = 0; j < kWidth; ++j) {
      Lanes sum = load(h[j] + k);
      keep(sum);
      add_dot(dot[j] + k, sum);
      gradient_k = hn::MulAdd(x_m[j], sum, gradient_k);
      gradient[j] = hn::MulAdd(x_k, sum, gradient[j]);
    }
    store(gradient_k, gradients + k);
  }
  HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i) {
    HAPTIC_UNROLL for (std::size_t j = i; j < kWidth; ++j) {
      const std::size_t at = end + i * kLanes;
      const Lanes sum = load(h[j] + at);
      add_dot(dot[j] + at, sum);
      gradient[i] = hn::MulAdd(x_m[j], sum, gradient[i]);
      gradient[j] = hn::MulAdd(x_m[i], sum, gradient[j]);
    }
    store(gradient[i], gradients + end + i * kLanes);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
