// Why it is laid out so.
//
// With q_r = 1, W is one homogeneous quartic in n = r + 1 coordinates, sum of c_ijkl x_i x_j x_k
// x_l over i >= j >= k >= l. Its Hessian H holds K in the rows and columns 0..r-1, and Euler's
// theorem gives the force, 3 R = (H x)_0..r-1: K0, K1, K2 keep their weights 1, 1/2, 1/3 through
// column r.
//
// Every monomial is linear in each of its four slots, so H_ab is the sum over ordered pairs of
// slots that hold a and b of c times the other two values, whatever indices coincide. The six
// unordered pairs of slots need only running sums over the coefficients,
//   (i,j)                              D_ij     dot of slab ij with the products x_k x_l
//   (i,k), (i,l), (j,k), (j,l), (k,l)  T_i[kl]  sum over j of x_j c_ijkl and over i' of x_i'
//   c_i'ikl
// because T_i is complete once all slabs of i and above have been read: then
//   H_kl += x_i T_i[kl] / 2,   H_ik += T_i[kl] x_l,   H_il += T_i[kl] x_k,
// which is of order n^3. Three multiply-adds a coefficient, each coefficient loaded once; the
// running sums are read and written once for sixteen coefficients (a tile of four i and four j,
// AVX2: in four passes of two and two).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rt/dynamics/quartic_kernels.cpp"
// x86-64-v3 has neither AES nor carry-less multiplication; without this the base would be SSSE3.
#define HWY_DISABLE_PCLMUL_AES
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>
// Not before: foreach_target.h includes this file once for each target.
#include "rt/dynamics/quartic_fold-inl.h"
#include "rt/dynamics/quartic_kernels.h"
#include "rt/dynamics/quartic_stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

/// pairs = x_k x_l in the order of a slab.
void multiply_pairs(const QuarticLayout& layout, const QuarticScratch& s) HAPTIC_REALTIME {
  for (std::size_t k = 0; k < layout.n; ++k) {
    const Lanes x_k = all(s.x[k]);
    double* to = s.pairs + kChunk * std::size_t{layout.full[k]};
    const std::size_t whole = k / 8 * 8;
    for (std::size_t l = 0; l < whole; l += kLanes) store(hn::Mul(x_k, load(s.x + l)), to + l);
    to = s.pairs + layout.rest[k];
    for (std::size_t h = 0; h <= k % 8; h += kLanes) {
      hn::BlendedStore(hn::Mul(x_k, load(s.x + whole + h)), hn::FirstN(kTag, k % 8 + 1 - h), kTag,
                       to + h);
    }
  }
}

template <class Coefficient>
HWY_INLINE Tile<Coefficient> tile_of(const Coefficient* c, const QuarticLayout& layout,
                                     const QuarticScratch& s, std::size_t I, std::size_t J) {
  return {c,
          layout.chunks.data() + 4 * J,
          s.pairs,
          s.sums + layout.sums_begin[I],
          s.sums + layout.sums_begin[J],
          s.x_tiled + 4 * I,
          s.x_tiled + 4 * J,
          s.dots + 4 * kRow * J};
}

template <bool kAssign, class Coefficient>
HWY_INLINE const Coefficient* add_tiles_of(std::size_t I, const Coefficient* c,
                                           const QuarticLayout& layout, const QuarticScratch& s) {
  c = stream_diagonal_tile<kAssign>(tile_of(c, layout, s, I, I));
  for (std::size_t J = I; J-- > 0;) c = stream_tile<kAssign>(tile_of(c, layout, s, I, J));
  const Fold fold{layout.full.data(),
                  layout.rest.data(),
                  layout.stride,
                  s.sums + layout.sums_begin[I],
                  s.x,
                  s.dots + kRow * layout.pad,
                  s.columns,
                  s.hessian};
  fold_tile<kAssign>(fold, 4 * I, layout.pad, s.x_tiled);
  return c;
}

template <class Coefficient>
void hessian_of(const Coefficient* c, const QuarticLayout& layout,
                const QuarticScratch& s) HAPTIC_REALTIME {
  multiply_pairs(layout, s);
  std::size_t I = layout.tiles - 1;
  c = add_tiles_of<true>(I, c, layout, s);
  while (I-- > 0) c = add_tiles_of<false>(I, c, layout, s);
}

template <class Coefficient>
double value_of(const Coefficient* c, const QuarticLayout& layout,
                const QuarticScratch& s) HAPTIC_REALTIME {
  multiply_pairs(layout, s);
  Lanes total = hn::Zero(kTag);
  for (std::size_t I = layout.tiles; I-- > 0;) {
    for (std::size_t J = I + 1; J-- > 0;) {
      const std::uint32_t* end = layout.chunks.data() + 4 * J;
      int first = 0;
      for (std::size_t t = 0; t < end[3]; ++t) {
        while (t >= end[first]) ++first;
        for (int j = first; j < 4; ++j) {
          for (int i = I == J ? j : 0; i < 4; ++i) {
            const Coefficient* v = c + 8 * QuarticLayout::slot(first, I == J, i, j);
            const Lanes x_ij = all(s.x_tiled[4 * I + static_cast<std::size_t>(i)] *
                                   s.x_tiled[4 * J + static_cast<std::size_t>(j)]);
            for (std::size_t h = 0; h < kChunk; h += kLanes) {
              total = hn::MulAdd(hn::Mul(x_ij, load(s.pairs + kChunk * t + h)), load(v + h), total);
            }
          }
        }
        c += 8 * QuarticLayout::width(first, I == J);
      }
    }
  }
  return hn::GetLane(hn::SumOfLanes(kTag, total));
}

void hessian(const double* c, const QuarticLayout& l, const QuarticScratch& s) HAPTIC_REALTIME {
  hessian_of(c, l, s);
}
void hessian_float(const float* c, const QuarticLayout& l,
                   const QuarticScratch& s) HAPTIC_REALTIME {
  hessian_of(c, l, s);
}
double value(const double* c, const QuarticLayout& l, const QuarticScratch& s) HAPTIC_REALTIME {
  return value_of(c, l, s);
}
double value_float(const float* c, const QuarticLayout& l,
                   const QuarticScratch& s) HAPTIC_REALTIME {
  return value_of(c, l, s);
}

}  // namespace

extern const QuarticKernels kQuarticKernels;
const QuarticKernels kQuarticKernels{hessian, hessian_float, value, value_float};

}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haptic {

const QuarticKernels& quartic_kernels(SimdTarget target) {
  return target == SimdTarget::kAvx512 ? N_AVX3::kQuarticKernels : N_AVX2::kQuarticKernels;
}

}  // namespace haptic
#endif
