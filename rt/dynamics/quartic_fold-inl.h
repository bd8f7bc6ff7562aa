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

/// The complete running sums T_i of one tile's four i, and where they go. Passed by value: the
/// stores of the loops could change what a reference refers to.
struct Fold {
  const std::uint32_t* full;  ///< of the layout
  const std::uint32_t* rest;
  std::size_t stride;
  const double* sums;  ///< chunk t of index w at t kRow + 8 w
  const double* x;
  double* dots;     ///< of index w and row k at k kRow + 8 w
  double* columns;  ///< sum over k of T_i[kl] x_k, of index w at w stride + l
  double* hessian;
};

/// Where T_0[kl] of the last chunk of row k begins; T_w follows eight doubles apart.
HWY_INLINE const double* rest_of(const Fold& f, std::size_t k) {
  const std::size_t rest = f.rest[k];
  return f.sums + rest / 8 * kRow + rest % 8;
}

/// One row, any width. kAssign: the row of H starts here.
template <bool kAssign>
HWY_INLINE void fold_row(const Fold& f, std::size_t k, const Lanes* half_x) {
  const Lanes x_k = all(f.x[k]);
  const std::size_t whole = k / 8 * 8, stride = f.stride;
  double* row = f.hessian + k * stride;
  double* columns = f.columns;
  const double* x = f.x;
  Lanes dot[4];
  HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) dot[w] = load(f.dots + k * kRow + 8 * w);
  const auto add = [&](std::size_t l, const Lanes* T) HWY_ATTR {
    Lanes H = kAssign ? hn::Zero(kTag) : load(row + l);
    const Lanes x_l = load(x + l);
    HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) {
      double* column = columns + w * stride + l;
      H = hn::MulAdd(half_x[w], T[w], H);
      dot[w] = hn::MulAdd(T[w], x_l, dot[w]);
      store(hn::MulAdd(x_k, T[w], load(column)), column);
    }
    store(H, row + l);
  };
  Lanes T[4];
  const double* sums = f.sums + std::size_t{f.full[k]} * kRow;
  for (std::size_t l = 0; l < whole; l += 8, sums += kRow) {
    HAPTIC_UNROLL for (std::size_t h = 0; h < 8; h += kLanes) {
      HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) T[w] = load(sums + 8 * w + h);
      add(l + h, T);
    }
  }
  const double* rest = rest_of(f, k);
  HAPTIC_UNROLL for (std::size_t h = 0; h < 8; h += kLanes) {
    // Nothing above the diagonal: those entries belong to other rows.
    const auto mask = hn::FirstN(kTag, k % 8 + 1 > h ? k % 8 + 1 - h : 0);
    HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) {
      T[w] = hn::MaskedLoad(mask, kTag, rest + 8 * w + h);
    }
    add(whole + h, T);
  }
  HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) store(dot[w], f.dots + k * kRow + 8 * w);
}

/// The same for the rows [8 kBlock, end) of one block, columns in registers; the block's own
/// columns start here.
template <std::size_t kBlock, bool kAssign>
HWY_INLINE void fold_block(const Fold f, std::size_t end, const Lanes* half_x) {
  constexpr std::size_t kWidth = kBlock + 1;  // chunks of a row
  const std::size_t stride = f.stride;
  Lanes column[4 * kWidth], x_l[kWidth];
  HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) {
    HAPTIC_UNROLL for (std::size_t c = 0; c < kWidth; ++c) {
      column[w * kWidth + c] = c == kBlock ? hn::Zero(kTag) : load(f.columns + w * stride + 8 * c);
    }
  }
  HAPTIC_UNROLL for (std::size_t c = 0; c < kWidth; ++c) x_l[c] = load(f.x + 8 * c);
  double* row = f.hessian + 8 * kBlock * stride;
  double* dots = f.dots + 8 * kBlock * kRow;
  for (std::size_t k = 8 * kBlock; k < end; ++k, row += stride, dots += kRow) {
    const Lanes x_k = all(f.x[k]);
    const double* sums = f.sums + std::size_t{f.full[k]} * kRow;
    const double* rest = rest_of(f, k);
    // Nothing above the diagonal: those entries belong to other rows.
    const auto mask = hn::FirstN(kTag, k - 8 * kBlock + 1);
    Lanes H[kWidth];
    HAPTIC_UNROLL for (std::size_t c = 0; c < kWidth; ++c) {
      H[c] = kAssign ? hn::Zero(kTag) : load(row + 8 * c);
    }
    HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) {
      Lanes dot = load(dots + 8 * w);
      HAPTIC_UNROLL for (std::size_t c = 0; c < kWidth; ++c) {
        Lanes T =
            c == kBlock ? hn::MaskedLoad(mask, kTag, rest + 8 * w) : load(sums + c * kRow + 8 * w);
        keep(T);
        H[c] = hn::MulAdd(half_x[w], T, H[c]);
        dot = hn::MulAdd(T, x_l[c], dot);
        column[w * kWidth + c] = hn::MulAdd(x_k, T, column[w * kWidth + c]);
      }
      store(dot, dots + 8 * w);
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
HWY_NOINLINE void fold_tile(const Fold f, std::size_t first_index, std::size_t pad,
                            const double* x_tiled) {
  const std::size_t stride = f.stride, rows = first_index + 4 - pad;
  Lanes half_x[4];
  HAPTIC_UNROLL for (std::size_t w = 0; w < 4; ++w) half_x[w] = all(0.5 * x_tiled[first_index + w]);

  constexpr std::size_t kBlocks = kLanes == 8 ? 4 : 0;
  for (std::size_t w = 0; w < 4; ++w) {
    for (std::size_t l = 8 * kBlocks; l < rows; l += kLanes) {
      store(hn::Zero(kTag), f.columns + w * stride + l);
    }
  }
  std::size_t k = 0;
  if constexpr (kBlocks > 0) {
    const auto end_of = [rows](std::size_t block)
                            HWY_ATTR { return rows < 8 * block + 8 ? rows : 8 * block + 8; };
    fold_block<0, kAssign>(f, k = end_of(0), half_x);
    if (rows > 8) fold_block<1, kAssign>(f, k = end_of(1), half_x);
    if (rows > 16) fold_block<2, kAssign>(f, k = end_of(2), half_x);
    if (rows > 24) fold_block<3, kAssign>(f, k = end_of(3), half_x);
  }
  for (; k < rows; ++k) fold_row<kAssign>(f, k, half_x);

  const double* dots = f.dots;
  const double* column = f.columns;
  for (std::size_t w = 0; w < 4; ++w, dots += 8, column += stride) {
    if (first_index + w < pad) continue;
    const std::size_t i = first_index + w - pad;
    double* row = f.hessian + i * stride;
    for (std::size_t l = 0; l <= i; l += kLanes) {
      const Lanes dot =
          hn::IfThenElseZero(hn::FirstN(kTag, i + 1 - l), sums_of(dots + l * kRow, kRow));
      store(hn::Add(load(row + l), hn::Add(dot, load(column + l))), row + l);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
