// Per-target include: from the running sums to the Hessian (quartic_kernels.cpp).
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

/// The complete running sums T_i of one tile's four i, and where they go.
struct Fold {
  const QuarticLayout& layout;
  const double* sums;  ///< chunk t of index w at t kRow + 8 w
  const double* x;
  double* dots;  ///< of index w and row k at w dot_step + 8 k
  std::size_t dot_step;
  double* columns;  ///< sum over k of T_i[kl] x_k, of index w at w stride + l
  double* hessian;
};

/// T_w[kl] of l in the last chunk of row k, zeros above the diagonal.
HWY_INLINE Lanes load_rest(const Fold& f, std::size_t k, std::size_t w, std::size_t h) {
  const std::size_t rest = f.layout.rest[k], last = k % 8 + 1;
  const auto mask = hn::FirstN(kTag, last > h ? last - h : 0);
  return hn::MaskedLoad(mask, kTag, f.sums + rest / 8 * kRow + rest % 8 + 8 * w + h);
}

/// H_kl += x_w T_w[kl] / 2, and row k's share of the dots and columns, for chunk l of the row.
template <bool kAssign>
HWY_INLINE void fold_chunk(const Fold& f, std::size_t k, std::size_t l, Lanes x_k,
                           const Lanes* half_x, const Lanes* T, Lanes* dot) {
  double* row = f.hessian + k * f.layout.stride + l;
  Lanes H = kAssign ? hn::Zero(kTag) : load(row);
  const Lanes x_l = load(f.x + l);
  HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) {
    double* column = f.columns + w * f.layout.stride + l;
    H = hn::MulAdd(half_x[w], T[w], H);
    dot[w] = hn::MulAdd(T[w], x_l, dot[w]);
    store(hn::MulAdd(x_k, T[w], load(column)), column);
  }
  store(H, row);
}

/// One row, any width. kAssign: the row of H starts here.
template <bool kAssign>
HWY_INLINE void fold_row(const Fold& f, std::size_t k, const Lanes* half_x) {
  const Lanes x_k = all(f.x[k]);
  Lanes dot[4], T[4];
  HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) dot[w] = load(f.dots + w * f.dot_step + 8 * k);
  const std::size_t whole = k / 8 * 8;
  const double* sums = f.sums + std::size_t{f.layout.full[k]} * kRow;
  for (std::size_t l = 0; l < whole; l += 8, sums += kRow) {
    HAPTIC_UNROLL for (std::size_t h = 0; h < 8; h += kLanes) {
      HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) T[w] = load(sums + 8 * w + h);
      fold_chunk<kAssign>(f, k, l + h, x_k, half_x, T, dot);
    }
  }
  HAPTIC_UNROLL for (std::size_t h = 0; h < 8; h += kLanes) {
    HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) T[w] = load_rest(f, k, w, h);
    fold_chunk<kAssign>(f, k, whole + h, x_k, half_x, T, dot);
  }
  HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) store(dot[w], f.dots + w * f.dot_step + 8 * k);
}

/// The same for the rows [8 kBlock, end) of one block, columns in registers.
template <std::size_t kBlock, bool kAssign>
HWY_INLINE void fold_block(const Fold& f, std::size_t end, const Lanes* half_x) {
  constexpr std::size_t kWidth = kBlock + 1;  // chunks of a row
  const std::size_t stride = f.layout.stride;
  Lanes column[4 * kWidth], x_l[kWidth];
  HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) {
    HAPTIC_UNROLL for (std::size_t c = 0; c < kWidth; ++c) {
      column[w * kWidth + c] = load(f.columns + w * stride + 8 * c);
    }
  }
  HAPTIC_UNROLL for (std::size_t c = 0; c < kWidth; ++c) x_l[c] = load(f.x + 8 * c);
  for (std::size_t k = 8 * kBlock; k < end; ++k) {
    const Lanes x_k = all(f.x[k]);
    double* row = f.hessian + k * stride;
    const double* sums = f.sums + std::size_t{f.layout.full[k]} * kRow;
    Lanes H[kWidth];
    HAPTIC_UNROLL for (std::size_t c = 0; c < kWidth; ++c) {
      H[c] = kAssign ? hn::Zero(kTag) : load(row + 8 * c);
    }
    HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) {
      Lanes dot = load(f.dots + w * f.dot_step + 8 * k);
      HAPTIC_UNROLL for (std::size_t c = 0; c < kWidth; ++c) {
        const Lanes T = c == kBlock ? load_rest(f, k, w, 0) : load(sums + c * kRow + 8 * w);
        H[c] = hn::MulAdd(half_x[w], T, H[c]);
        dot = hn::MulAdd(T, x_l[c], dot);
        column[w * kWidth + c] = hn::MulAdd(x_k, T, column[w * kWidth + c]);
      }
      store(dot, f.dots + w * f.dot_step + 8 * k);
    }
    HAPTIC_UNROLL for (std::size_t c = 0; c < kWidth; ++c) store(H[c], row + 8 * c);
  }
  HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) {
    HAPTIC_UNROLL for (std::size_t c = 0; c < kWidth; ++c) {
      store(column[w * kWidth + c], f.columns + w * stride + 8 * c);
    }
  }
}

/// Adds the sums of tile I to the Hessian: all of its rows' parts, then the rows of its indices.
/// The last rows belong to the last indices only; the sums of the others are zero there, because no
/// slab of theirs reaches so far and the array starts as zeros.
template <bool kAssign>
HWY_NOINLINE void fold_tile(const Fold& f, std::size_t I, const double* x_tiled) {
  const std::size_t first_index = 4 * I;  // counted from pad
  const std::size_t pad = f.layout.pad, stride = f.layout.stride;
  const std::size_t rows = first_index + 4 - pad;
  Lanes half_x[4];
  HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) half_x[w] = all(0.5 * x_tiled[first_index + w]);
  for (std::size_t w = 0; w < 4; ++w) {
    for (std::size_t l = 0; l < rows; l += kLanes) {
      store(hn::Zero(kTag), f.columns + w * stride + l);
    }
  }

  std::size_t k = 0;
  if constexpr (kLanes == 8) {
    const auto end_of = [&](std::size_t block)
                            HWY_ATTR { return rows < 8 * block + 8 ? rows : 8 * block + 8; };
    fold_block<0, kAssign>(f, k = end_of(0), half_x);
    if (rows > 8) fold_block<1, kAssign>(f, k = end_of(1), half_x);
    if (rows > 16) fold_block<2, kAssign>(f, k = end_of(2), half_x);
    if (rows > 24) fold_block<3, kAssign>(f, k = end_of(3), half_x);
  }
  for (; k < rows; ++k) fold_row<kAssign>(f, k, half_x);

  for (std::size_t w = 0; w < 4; ++w) {
    if (first_index + w < pad) continue;
    const std::size_t i = first_index + w - pad;
    double* row = f.hessian + i * stride;
    for (std::size_t l = 0; l <= i; l += kLanes) {
      const Lanes dot = hn::IfThenElseZero(hn::FirstN(kTag, i + 1 - l),
                                           sums_of(f.dots + w * f.dot_step + 8 * l, 8));
      store(hn::Add(load(row + l), hn::Add(dot, load(f.columns + w * stride + l))), row + l);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
