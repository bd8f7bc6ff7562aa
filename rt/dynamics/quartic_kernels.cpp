// Reasons for the layout of the coefficients (quartic_layout.h).
//
// With q_r = 1, W is one homogeneous quartic in n = r + 1 coordinates, the sum of c_ijkl x_i x_j
// x_k x_l over i <= j <= k <= l. Rows and columns 0..r-1 of its Hessian H are K. Euler's theorem
// gives the force, 3 R = (H x)_0..r-1; column r gives K0, K1, K2 their weights 1, 1/2, 1/3.
//
// Every monomial is linear in each of its four factors. H_ab is therefore the sum, over the ordered
// pairs of factors with indices a and b, of c times the other two factors, also if indices
// coincide. The lanes of a vector correspond to the smallest index i, one bundle of indices
// (quartic_layout.h). The terms of the six unordered pairs of factors are accumulated per lane:
//   h_kl = sum over m of x_m c_iklm, and likewise over k and l,
// which is, in each lane, the Hessian with respect to the three other indices. It takes three
// multiply-adds per coefficient. Each coefficient is loaded once; the sums are in registers or are
// read and written once per block of lines. They give
//   H_ik = half the sum over l of h_kl x_l (columns of the bundle, rows outside it),
//   H_kl += sum over the lanes of x_i h_kl (`dots`, summed across lanes once at the end).
// These two take O(n^3) operations. If two indices are in the bundle, i and i + d (lane_orbits.h:
// no lane is unused), the same holds with x_i+d in place of x_m: the pairs are additional rows k of
// the same pass, and their sums give the other half of H_ik and H_i+d,k. Few coefficients have
// three or four indices in one bundle.
#define HWY_TARGET_INCLUDE "rt/dynamics/quartic_kernels.cpp"
#include "shared/simd/foreach_target.h"
// After foreach_target.h, because these headers are read once for each target.
#include "rt/dynamics/quartic_fold-inl.h"
#include "rt/dynamics/quartic_kernels.h"
#include "rt/dynamics/quartic_own-inl.h"
#include "rt/dynamics/quartic_stream-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

using Layout = QuarticLayout;
constexpr std::size_t kMaxOutside = Layout::kMaxCoordinates - kLanes;

/// Factors of the rows in the columns of a bundle.
struct Rows {
  alignas(64) double factors[(kPairs + kMaxOutside) * kLanes];

  HWY_INLINE const double* outside() const { return factors + kPairs * kLanes; }
};

HWY_INLINE void fill(Rows& rows, const OwnSums& own, const double* outside, std::size_t count) {
  HAPTIC_UNROLL for (std::size_t d = 0; d < kPairs; ++d) {
    store(own.turned_x(d), rows.factors + d * kLanes);
  }
  double* to = rows.factors + kPairs * kLanes;
  for (std::size_t k = 0; k < count; ++k) store(all(outside[k]), to + k * kLanes);
}

template <bool kFirst, class Coefficient>
HWY_INLINE const Coefficient* add_bundle(const Coefficient* c, const Layout& layout,
                                         const QuarticScratch& s, std::size_t bundle_index) {
  const std::size_t first = bundle_index * kLanes, next = first + kLanes;
  const std::size_t count = layout.outside_of(bundle_index), stride = layout.stride;
  const Lanes x = load(s.x + first);
  OwnSums own;
  start_own(x, own);
  c = stream_quads(c, own);

  Rows rows;
  fill(rows, own, s.x + next, count);
  const Bundle bundle{s.sums, rows.factors, rows.outside()};
  for_each_block(count, [&](auto width, std::size_t m0)
                            HWY_ATTR { c = stream_columns<width>(c, bundle, m0); });
  alignas(64) double gradients[kMaxOutside * kLanes];
  for_each_block(count, [&](auto width, std::size_t m0) HWY_ATTR {
    fold_columns<width, kFirst>(bundle, x, s.dots, first, m0, gradients);
  });

  const double* dots = kFirst ? nullptr : s.dots + (first - kLanes) * kLanes;
  const OwnRows to{&bundle, gradients, dots, first, s.hessian + next * stride + first, stride};
  for_each_block(count, [&](auto width, std::size_t l0)
                            HWY_ATTR { c = stream_triples<width, kFirst>(c, to, l0, own); });
  const std::size_t own_count = layout.n - first < kLanes ? layout.n - first : kLanes;
  store_own<kFirst>(own, to, s.hessian + first * stride + first, own_count);
  return c;
}

template <class Coefficient>
void hessian_of(const Coefficient* c, const Layout& layout,
                const QuarticScratch& s) HAPTIC_REALTIME {
  c = add_bundle<true>(c, layout, s, 0);
  for (std::size_t b = 1; b < layout.bundles; ++b) c = add_bundle<false>(c, layout, s, b);
}

/// Sum of the lines with l in [l0, l1) and m in [m0, m1), l <= m, times the factors of their rows
/// and outside indices.
template <class Coefficient>
HWY_INLINE Lanes block_value(const Coefficient*& c, const Rows& rows, std::size_t l0,
                             std::size_t l1, std::size_t m0, std::size_t m1) {
  const double* outside = rows.outside();
  Lanes total = hn::Zero(kTag);
  for (std::size_t row = 0; row < kPairs + l1; ++row) {
    const std::size_t begin = row < kPairs + l0 ? l0 : row - kPairs;
    Lanes sum = hn::Zero(kTag);
    for (std::size_t l = begin; l < l1; ++l) {
      for (std::size_t m = l0 == m0 ? l : m0; m < m1; ++m, c += kLanes) {
        const Lanes lm = hn::Mul(load(outside + l * kLanes), load(outside + m * kLanes));
        sum = hn::MulAdd(load(c), lm, sum);
      }
    }
    total = hn::MulAdd(load(rows.factors + row * kLanes), sum, total);
  }
  return total;
}

template <class Coefficient>
double value_of(const Coefficient* c, const Layout& layout, const double* x) HAPTIC_REALTIME {
  const auto end_of = [](std::size_t begin, std::size_t count) HWY_ATTR {
    return begin == 0 && count % kBlock != 0 ? count % kBlock : begin + kBlock;
  };
  Lanes total = hn::Zero(kTag);
  for (std::size_t b = 0; b < layout.bundles; ++b) {
    const std::size_t first = b * kLanes, count = layout.outside_of(b);
    OwnSums own;
    start_own(load(x + first), own);
    Rows rows;
    fill(rows, own, x + first + kLanes, count);

    Lanes sum = hn::Zero(kTag);
    const auto triple = [&](std::size_t t) HWY_ATTR {
      return own.product(kOrbits.triples[t].a, kOrbits.triples[t].b);
    };
    for (const auto& quad : kOrbits.quads) {
      const Lanes other = hn::Mul(triple(quad.triple), own.turned_x(quad.d));
      sum = hn::MulAdd(load(c), other, sum);
      c += kLanes;
    }
    for (std::size_t m0 = 0, m1; m0 < count; m0 = m1) {
      m1 = end_of(m0, count);
      for (std::size_t l0 = 0; l0 <= m0; l0 = end_of(l0, count)) {
        sum = hn::Add(sum, block_value(c, rows, l0, end_of(l0, count), m0, m1));
      }
    }
    for (std::size_t l0 = 0; l0 < count; l0 = end_of(l0, count)) {
      for (std::size_t t = 0; t < kOrbits.kTriples; ++t) {
        for (std::size_t l = l0; l < end_of(l0, count); ++l, c += kLanes) {
          const Lanes other = hn::Mul(triple(t), load(rows.outside() + l * kLanes));
          sum = hn::MulAdd(load(c), other, sum);
        }
      }
    }
    total = hn::MulAdd(own.turned_x(0), sum, total);
  }
  return hn::GetLane(hn::SumOfLanes(kTag, total));
}

void hessian(const double* c, const Layout& l, const QuarticScratch& s) HAPTIC_REALTIME {
  hessian_of(c, l, s);
}
void hessian_float(const float* c, const Layout& l, const QuarticScratch& s) HAPTIC_REALTIME {
  hessian_of(c, l, s);
}
double value(const double* c, const Layout& l, const double* x) HAPTIC_REALTIME {
  return value_of(c, l, x);
}
double value_float(const float* c, const Layout& l, const double* x) HAPTIC_REALTIME {
  return value_of(c, l, x);
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
  return for_target(target, N_AVX3::kQuarticKernels, N_AVX2::kQuarticKernels);
}

}  // namespace haptic
#endif
