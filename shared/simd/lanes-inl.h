// Per-target include (no guard of the usual kind): what kernels for several instruction sets share.
#if defined(HAPTIC_SIMD_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HAPTIC_SIMD_LANES_INL_H_
#undef HAPTIC_SIMD_LANES_INL_H_
#else
#define HAPTIC_SIMD_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>

#ifdef __OPTIMIZE__
#define HAPTIC_UNROLL _Pragma("GCC unroll 16")
/// For loops of more rounds, whose indices are constants only if nothing of the loop is left.
#define HAPTIC_UNROLL_LONG _Pragma("GCC unroll 64")
#else  // where nothing is unrolled, g++ warns of loops with two conditions
#define HAPTIC_UNROLL
#define HAPTIC_UNROLL_LONG
#endif

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<double>;
using Lanes = hn::Vec<Tag>;
constexpr Tag kTag{};
constexpr std::size_t kLanes = HWY_LANES(double);
static_assert(kLanes == 4 || kLanes == 8, "sums_of and transpose know these two");

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

/// Sum of each of kLanes vectors that are `step` doubles apart: lane w for the one at p + w step.
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

/// Transposes a square block of kLanes vectors.
HWY_INLINE void transpose(Lanes* v) {
  if constexpr (kLanes == 4) {
    const Lanes a = hn::InterleaveLower(kTag, v[0], v[1]),
                b = hn::InterleaveUpper(kTag, v[0], v[1]);
    const Lanes c = hn::InterleaveLower(kTag, v[2], v[3]),
                d = hn::InterleaveUpper(kTag, v[2], v[3]);
    v[0] = hn::ConcatLowerLower(kTag, c, a);
    v[1] = hn::ConcatLowerLower(kTag, d, b);
    v[2] = hn::ConcatUpperUpper(kTag, c, a);
    v[3] = hn::ConcatUpperUpper(kTag, d, b);
  } else {
    // Pairs of rows first; then blocks of two lanes, four of them: a0 b0 c0 d0 and so on.
    Lanes p[8];
    HAPTIC_UNROLL for (int m = 0; m < 8; m += 2) {
      p[m] = hn::InterleaveLower(kTag, v[m], v[m + 1]);
      p[m + 1] = hn::InterleaveUpper(kTag, v[m], v[m + 1]);
    }
    HAPTIC_UNROLL for (int m = 0; m < 2; ++m) {
      const Lanes ac = hn::ConcatLowerLower(kTag, p[4 + m], p[m]);
      const Lanes bd = hn::ConcatLowerLower(kTag, p[6 + m], p[2 + m]);
      const Lanes ac_upper = hn::ConcatUpperUpper(kTag, p[4 + m], p[m]);
      const Lanes bd_upper = hn::ConcatUpperUpper(kTag, p[6 + m], p[2 + m]);
      v[m] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(bd), ac);
      v[2 + m] = hn::OddEvenBlocks(bd, hn::SwapAdjacentBlocks(ac));
      v[4 + m] = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(bd_upper), ac_upper);
      v[6 + m] = hn::OddEvenBlocks(bd_upper, hn::SwapAdjacentBlocks(ac_upper));
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
