// Per-target include (no guard of the usual kind): what the kernels of this folder share.
#if defined(HAPTIC_DYNAMICS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HAPTIC_DYNAMICS_LANES_INL_H_
#undef HAPTIC_DYNAMICS_LANES_INL_H_
#else
#define HAPTIC_DYNAMICS_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#define HAPTIC_UNROLL _Pragma("GCC unroll 16")

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;
using Lanes = hn::Vec<Tag>;
constexpr Tag kTag{};
constexpr std::size_t kLanes = HWY_LANES(double);
static_assert(kLanes == 4 || kLanes == 8, "sums_of and the sub-tiles know these two");

HWY_INLINE Lanes load(const double* p) {
  return hn::Load(kTag, p);
}
HWY_INLINE Lanes load(const float* p) {
  return hn::PromoteTo(kTag, hn::Load(hn::Rebind<float, Tag>(), p));
}
HWY_INLINE void store(Lanes v, double* p) {
  hn::Store(v, kTag, p);
}
HWY_INLINE Lanes all(double x) {
  return hn::Set(kTag, x);
}

/// Keeps a value that is used more than once in a register: gcc would rather load it again for each
/// use, and the loads are what limits the kernel.
HWY_INLINE void keep(Lanes& v) {
#if HWY_TARGET == HWY_AVX3
  asm("" : "+v"(v.raw));
#else
  asm("" : "+x"(v.raw));
#endif
}

/// Sum of each of kLanes vectors that stand `step` doubles apart: lane w for the one at p + w step.
HWY_INLINE Lanes sums_of(const double* p, std::size_t step) {
  // Pairs of rows meet in blocks of two lanes, in the order that the last step undoes.
  const auto pair = [&](std::size_t row) HWY_ATTR {
    const Lanes a = load(p + row * step), b = load(p + (row + 1) * step);
    return hn::Add(hn::InterleaveLower(kTag, a, b), hn::InterleaveUpper(kTag, a, b));
  };
  const auto halves = [](Lanes low, Lanes high) HWY_ATTR {
    return hn::Add(hn::ConcatLowerLower(kTag, high, low), hn::ConcatUpperUpper(kTag, high, low));
  };
  if constexpr (kLanes == 4) {
    return halves(pair(0), pair(2));
  } else {
    const auto blocks = [](Lanes v) HWY_ATTR { return hn::Add(v, hn::SwapAdjacentBlocks(v)); };
    return hn::OddEvenBlocks(blocks(halves(pair(2), pair(6))), blocks(halves(pair(0), pair(4))));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
