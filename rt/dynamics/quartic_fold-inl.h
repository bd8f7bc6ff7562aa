// Per-target include: from one bundle's running sums to dot products and gradients
// (quartic_kernels.cpp).
#if defined(HAPTIC_DYNAMICS_QUARTIC_FOLD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HAPTIC_DYNAMICS_QUARTIC_FOLD_INL_H_
#undef HAPTIC_DYNAMICS_QUARTIC_FOLD_INL_H_
#else
#define HAPTIC_DYNAMICS_QUARTIC_FOLD_INL_H_
#endif

#include "rt/dynamics/lanes-inl.h"
#include "rt/dynamics/quartic_layout.h"
#include "rt/dynamics/quartic_stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

/// dots[m][k] += x h, gradients[m] += h x_k and gradients[k] += h x_m for the sum h of every two
/// outside indices k <= m.
/// @param x      of the bundle
/// @param dots   row m at triangle of `before` + m, its first `before` entries of other bundles
/// kFirst: the dots start here (before = 0)
template <bool kFirst>
HWY_NOINLINE void fold_columns(const Bundle bundle, Lanes x, double* dots, std::size_t before,
                               std::size_t count, double* gradients) {
  for (std::size_t m = 0; m < count; ++m) {
    const double* h = bundle.sums + column_at(m) + kPairs * kLanes;
    const std::size_t row = before + m;
    double* dot = dots + (row * (row + 1) / 2 + before) * kLanes;
    const Lanes x_m = load(bundle.outside + m * kLanes);
    const auto add_dot = [&](std::size_t k, Lanes sum) HWY_ATTR {
      store(kFirst ? hn::Mul(x, sum) : hn::MulAdd(x, sum, load(dot + k)), dot + k);
    };
    Lanes gradient = hn::Zero(kTag);
    const std::size_t end = m * kLanes;
    for (std::size_t k = 0; k < end; k += kLanes) {
      const Lanes sum = load(h + k);
      add_dot(k, sum);
      store(hn::MulAdd(x_m, sum, load(gradients + k)), gradients + k);
      gradient = hn::MulAdd(load(bundle.outside + k), sum, gradient);
    }
    const Lanes sum = load(h + end);
    add_dot(end, sum);
    store(hn::MulAdd(hn::Add(x_m, x_m), sum, gradient), gradients + end);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
