// Per-target include: the pass over the coefficients of one bundle that have one or two indices in
// it (formulas: quartic_kernels.cpp).
#if defined(HAPTIC_DYNAMICS_QUARTIC_STREAM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HAPTIC_DYNAMICS_QUARTIC_STREAM_INL_H_
#undef HAPTIC_DYNAMICS_QUARTIC_STREAM_INL_H_
#else
#define HAPTIC_DYNAMICS_QUARTIC_STREAM_INL_H_
#endif

#include <type_traits>

#include "rt/dynamics/lane_orbits.h"
#include "rt/dynamics/quartic_layout.h"
#include "shared/simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

constexpr LaneOrbits<kLanes> kOrbits{};
constexpr std::size_t kPairs = LaneOrbits<kLanes>::kPairs;
constexpr std::size_t kBlock = QuarticLayout::block_of(kLanes);

/// Position of entry (i, j >= i) in an upper triangle of `size` rows; number of its entries.
constexpr std::size_t triangle(std::size_t size, std::size_t i, std::size_t j) {
  return i * size - i * (i + 1) / 2 + j;
}
constexpr std::size_t triangle(std::size_t size) {
  return size * (size + 1) / 2;
}

/// Running sums of one bundle, each a whole vector (lane s: index s of the bundle), and the factors
/// of the rows. Column m contains the sums of the pairs, then those of (k, m) for outside k <= m.
struct Bundle {
  double* sums;
  const double* rows;     ///< rotated x of each pair, then x of each outside index in every lane
  const double* outside;  ///< the second part of rows
};

HWY_INLINE std::size_t column_at(std::size_t m) {
  return kLanes * (kPairs * m + m * (m + 1) / 2);
}

/// Adds the lines of the kBefore indices at l0 with the kWidth columns at m0 > l0.
template <std::size_t kBefore, std::size_t kWidth, class Coefficient>
HWY_INLINE const Coefficient* stream_block(const Coefficient* HWY_RESTRICT c, const Bundle& bundle,
                                           std::size_t l0, std::size_t m0, const Lanes* x_m) {
  Lanes x_l[kBefore], lm[kBefore * kWidth];
  double *column_l[kBefore], *column_m[kWidth];
  HAPTIC_UNROLL for (std::size_t i = 0; i < kBefore; ++i) {
    x_l[i] = load(bundle.outside + (l0 + i) * kLanes);
    column_l[i] = bundle.sums + column_at(l0 + i);
    HAPTIC_UNROLL for (std::size_t j = 0; j < kWidth; ++j) lm[i * kWidth + j] = hn::Zero(kTag);
  }
  HAPTIC_UNROLL for (std::size_t j = 0; j < kWidth; ++j) {
    column_m[j] = bundle.sums + column_at(m0 + j);
  }

  const double* HWY_RESTRICT rows = bundle.rows;
  const std::size_t end = (kPairs + l0) * kLanes;
  for (std::size_t k = 0; k < end; k += kLanes) {
    const Lanes x_k = load(rows + k);
    Lanes kl[kBefore], km[kWidth];
    HAPTIC_UNROLL for (std::size_t i = 0; i < kBefore; ++i) kl[i] = load(column_l[i] + k);
    HAPTIC_UNROLL for (std::size_t j = 0; j < kWidth; ++j) km[j] = load(column_m[j] + k);
    HAPTIC_UNROLL for (std::size_t i = 0; i < kBefore; ++i) {
      HAPTIC_UNROLL for (std::size_t j = 0; j < kWidth; ++j) {
        Lanes v = load(c + (i * kWidth + j) * kLanes);
        keep(v);
        lm[i * kWidth + j] = hn::MulAdd(v, x_k, lm[i * kWidth + j]);
        kl[i] = hn::MulAdd(v, x_m[j], kl[i]);
        km[j] = hn::MulAdd(v, x_l[i], km[j]);
      }
    }
    HAPTIC_UNROLL for (std::size_t i = 0; i < kBefore; ++i) store(kl[i], column_l[i] + k);
    HAPTIC_UNROLL for (std::size_t j = 0; j < kWidth; ++j) store(km[j], column_m[j] + k);
    c += kBefore * kWidth * kLanes;
  }

  // Lines with both k and l in the block at l0.
  HAPTIC_UNROLL for (std::size_t k = 0; k < kBefore; ++k) {
    HAPTIC_UNROLL for (std::size_t l = k; l < kBefore; ++l) {
      double* at = column_l[l] + end + k * kLanes;
      Lanes kl = load(at);
      HAPTIC_UNROLL for (std::size_t j = 0; j < kWidth; ++j, c += kLanes) {
        Lanes v = load(c);
        keep(v);
        kl = hn::MulAdd(v, x_m[j], kl);
        lm[k * kWidth + j] = hn::MulAdd(v, x_l[l], lm[k * kWidth + j]);
        lm[l * kWidth + j] = hn::MulAdd(v, x_l[k], lm[l * kWidth + j]);
      }
      store(kl, at);
    }
  }
  HAPTIC_UNROLL for (std::size_t i = 0; i < kBefore; ++i) {
    HAPTIC_UNROLL for (std::size_t j = 0; j < kWidth; ++j) {
      store(lm[i * kWidth + j], column_m[j] + end + i * kLanes);
    }
  }
  return c;
}

/// Adds the lines with both l and m among the kWidth columns at m0.
template <std::size_t kWidth, class Coefficient>
HWY_INLINE const Coefficient* stream_diagonal(const Coefficient* HWY_RESTRICT c,
                                              const Bundle& bundle, std::size_t m0,
                                              const Lanes* x) {
  Lanes twice[kWidth], lm[triangle(kWidth)];
  double* column[kWidth];
  HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i) {
    twice[i] = hn::Add(x[i], x[i]);
    column[i] = bundle.sums + column_at(m0 + i);
    HAPTIC_UNROLL for (std::size_t j = i; j < kWidth; ++j) {
      lm[triangle(kWidth, i, j)] = hn::Zero(kTag);
    }
  }

  const double* HWY_RESTRICT rows = bundle.rows;
  const std::size_t end = (kPairs + m0) * kLanes;
  for (std::size_t k = 0; k < end; k += kLanes) {
    const Lanes x_k = load(rows + k);
    Lanes km[kWidth];
    HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i) km[i] = load(column[i] + k);
    HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i) {
      HAPTIC_UNROLL for (std::size_t j = i; j < kWidth; ++j) {
        const std::size_t at = triangle(kWidth, i, j);
        Lanes v = load(c + at * kLanes);
        keep(v);
        lm[at] = hn::MulAdd(v, x_k, lm[at]);
        if (i == j) {
          km[i] = hn::MulAdd(v, twice[i], km[i]);
        } else {
          km[i] = hn::MulAdd(v, x[j], km[i]);
          km[j] = hn::MulAdd(v, x[i], km[j]);
        }
      }
    }
    HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i) store(km[i], column[i] + k);
    c += triangle(kWidth) * kLanes;
  }

  // Lines with k, l and m in the block.
  HAPTIC_UNROLL for (std::size_t k = 0; k < kWidth; ++k) {
    HAPTIC_UNROLL for (std::size_t l = k; l < kWidth; ++l) {
      HAPTIC_UNROLL for (std::size_t m = l; m < kWidth; ++m, c += kLanes) {
        const std::size_t kl = triangle(kWidth, k, l), km = triangle(kWidth, k, m),
                          last = triangle(kWidth, l, m);
        Lanes v = load(c);
        keep(v);
        lm[kl] = hn::MulAdd(v, x[m], lm[kl]);
        lm[km] = hn::MulAdd(v, x[l], lm[km]);
        lm[last] = hn::MulAdd(v, x[k], lm[last]);
      }
    }
  }
  HAPTIC_UNROLL for (std::size_t i = 0; i < kWidth; ++i) {
    HAPTIC_UNROLL for (std::size_t j = i; j < kWidth; ++j) {
      store(lm[triangle(kWidth, i, j)], column[j] + end + i * kLanes);
    }
  }
  return c;
}

/// Calls `part(width, first)` with the compile-time width and the first index of each block of
/// `count` outside indices.
template <class Part>
HWY_INLINE void for_each_block(std::size_t count, Part part) {
  const std::size_t rest = count % kBlock;
  if (rest == 1) part(std::integral_constant<std::size_t, 1>{}, 0);
  if constexpr (kBlock > 2) {
    if (rest == 2) part(std::integral_constant<std::size_t, 2>{}, 0);
  }
  for (std::size_t m0 = rest; m0 < count; m0 += kBlock) {
    part(std::integral_constant<std::size_t, kBlock>{}, m0);
  }
}

/// Adds all lines of the kWidth columns at m0 and initialises their sums: those of the pairs to
/// zero, those of the outside indices when their block is added.
template <std::size_t kWidth, class Coefficient>
HWY_NOINLINE const Coefficient* stream_columns(const Coefficient* c, const Bundle bundle,
                                               std::size_t m0) {
  Lanes x_m[kWidth];
  HAPTIC_UNROLL for (std::size_t j = 0; j < kWidth; ++j) {
    x_m[j] = load(bundle.outside + (m0 + j) * kLanes);
    double* column = bundle.sums + column_at(m0 + j);
    HAPTIC_UNROLL for (std::size_t d = 0; d < kPairs; ++d) {
      store(hn::Zero(kTag), column + d * kLanes);
    }
  }
  // Without for_each_block: its lambda would keep x_m in memory.
  std::size_t l0 = kWidth == kBlock ? m0 % kBlock : m0;
  if (l0 == 1) c = stream_block<1, kWidth>(c, bundle, 0, m0, x_m);
  if constexpr (kBlock > 2) {
    if (l0 == 2) c = stream_block<2, kWidth>(c, bundle, 0, m0, x_m);
  }
  for (; l0 < m0; l0 += kBlock) c = stream_block<kBlock, kWidth>(c, bundle, l0, m0, x_m);
  return stream_diagonal<kWidth>(c, bundle, m0, x_m);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
