#define HWY_TARGET_INCLUDE "rt/dynamics/symmetric_kernels.cpp"
#include "rt/dynamics/symmetric_kernels.h"

#include "shared/simd/foreach_target.h"
#include "shared/simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

/// Vectors of a pivot row that are held in registers at once.
constexpr std::size_t kHeld = 4;

/// Product of rows [8 kBlock, end), with y in registers; initialises the block's chunk of y.
template <std::size_t kBlock>
HWY_INLINE void multiply_block(const HalvedTriangle H, std::size_t end, const double* x, double* y,
                               double* dots) {
  constexpr std::size_t kWidth = 8 * (kBlock + 1) / kLanes, kOld = 8 * kBlock / kLanes;
  Lanes y_l[kWidth], x_l[kWidth];
  HAPTIC_UNROLL for (std::size_t c = 0; c < kWidth; ++c) {
    y_l[c] = c < kOld ? load(y + c * kLanes) : hn::Zero(kTag);
    x_l[c] = load(x + c * kLanes);
  }
  const double* row = H.values + 8 * kBlock * H.stride;
  for (std::size_t m = 8 * kBlock; m < end; ++m, row += H.stride) {
    const Lanes x_m = all(x[m]);
    Lanes dot = hn::Zero(kTag);
    HAPTIC_UNROLL for (std::size_t c = 0; c < kWidth; ++c) {
      const Lanes T = load(row + c * kLanes);
      dot = hn::MulAdd(T, x_l[c], dot);
      y_l[c] = hn::MulAdd(x_m, T, y_l[c]);
    }
    store(dot, dots + 8 * m);
  }
  HAPTIC_UNROLL for (std::size_t c = 0; c < kWidth; ++c) store(y_l[c], y + c * kLanes);
}

void product(const HalvedTriangle& H, const double* x, double* y, double* dots) HAPTIC_REALTIME {
  const std::size_t rows = H.rows, stride = H.stride;
  const auto end_of = [rows](std::size_t block)
                          HWY_ATTR { return rows < 8 * block + 8 ? rows : 8 * block + 8; };
  for (std::size_t l = 8; l < stride; l += kLanes) store(hn::Zero(kTag), y + l);
  multiply_block<0>(H, end_of(0), x, y, dots);
  if (rows > 8) multiply_block<1>(H, end_of(1), x, y, dots);
  if constexpr (kLanes == 8) {
    if (rows > 16) multiply_block<2>(H, end_of(2), x, y, dots);
    if (rows > 24) multiply_block<3>(H, end_of(3), x, y, dots);
  }
  for (std::size_t m = 8 * (kLanes == 8 ? 4 : 2); m < rows; ++m) {
    const double* row = H.values + m * stride;
    const Lanes x_m = all(x[m]);
    Lanes dot = hn::Zero(kTag);
    for (std::size_t l = 0; l <= m; l += kLanes) {
      const Lanes T = load(row + l);
      dot = hn::MulAdd(T, load(x + l), dot);
      store(hn::MulAdd(x_m, T, load(y + l)), y + l);
    }
    store(dot, dots + 8 * m);
  }
  for (std::size_t l = 0; l < rows; l += kLanes) {
    const Lanes sums = hn::IfThenElseZero(hn::FirstN(kTag, rows - l), sums_of(dots + 8 * l, 8));
    store(hn::Add(load(y + l), sums), y + l);
  }
}

/// Rows [m, m + kLanes) of the chunk at column l; zeros below the last row.
HWY_INLINE void load_block(const HalvedTriangle& H, std::size_t m, std::size_t l, Lanes* v) {
  const double* row = H.values + m * H.stride + l;
  if (m + kLanes <= H.rows) {
    HAPTIC_UNROLL for (std::size_t w = 0; w < kLanes; ++w) v[w] = load(row + w * H.stride);
    return;
  }
  HAPTIC_UNROLL for (std::size_t w = 0; w < kLanes; ++w) {
    v[w] = m + w < H.rows ? load(row + w * H.stride) : hn::Zero(kTag);
  }
}

/// Stores the first `rows` vectors to rows that are `count` apart, of each the first `columns`
/// lanes.
HWY_INLINE void store_block(const Lanes* v, std::size_t rows, std::size_t columns, double* to,
                            std::size_t count) {
  if (rows >= kLanes && columns >= kLanes) {
    HAPTIC_UNROLL for (std::size_t w = 0; w < kLanes; ++w) hn::StoreU(v[w], kTag, to + w * count);
    return;
  }
  const auto mask = hn::FirstN(kTag, columns);
  HAPTIC_UNROLL for (std::size_t w = 0; w < kLanes; ++w) {
    if (w < rows) hn::BlendedStore(v[w], mask, kTag, to + w * count);
  }
}

void unpack(const HalvedTriangle& H, std::size_t count, double* full) HAPTIC_REALTIME {
  const HalvedTriangle from = H;
  for (std::size_t m = 0; m < count; m += kLanes) {
    Lanes v[kLanes], turned[kLanes];
    for (std::size_t l = 0; l < m; l += kLanes) {
      load_block(from, m, l, v);
      HAPTIC_UNROLL for (std::size_t w = 0; w < kLanes; ++w) turned[w] = v[w];
      transpose(turned);
      store_block(v, count - m, kLanes, full + m * count + l, count);
      store_block(turned, kLanes, count - m, full + l * count + m, count);
    }
    load_block(from, m, m, v);
    HAPTIC_UNROLL for (std::size_t w = 0; w < kLanes; ++w) turned[w] = v[w];
    transpose(turned);
    HAPTIC_UNROLL for (std::size_t w = 0; w < kLanes; ++w) v[w] = hn::Add(v[w], turned[w]);
    store_block(v, count - m, count - m, full + m * count + m, count);
  }
}

/// Rows [begin, end) of the first `kWidth` vectors: row -= factor[row] pivot.
template <std::size_t kWidth>
HWY_INLINE void eliminate(double* rows, std::size_t stride, std::size_t begin, std::size_t end,
                          const double* pivot, const double* factor) {
  Lanes held[kWidth];
  HAPTIC_UNROLL for (std::size_t v = 0; v < kWidth; ++v) held[v] = load(pivot + v * kLanes);
  for (std::size_t l = end; l-- > begin;) {
    const Lanes f = all(factor[l]);
    double* row = rows + l * stride;
    HAPTIC_UNROLL for (std::size_t v = 0; v < kWidth; ++v) {
      store(hn::NegMulAdd(f, held[v], load(row + v * kLanes)), row + v * kLanes);
    }
  }
}

/// The same for the leading `width` vectors, any number.
HWY_INLINE void eliminate_rows(double* rows, std::size_t stride, std::size_t begin, std::size_t end,
                               std::size_t width, const double* pivot, const double* factor) {
  for (; width >= kHeld; width -= kHeld, rows += kHeld * kLanes, pivot += kHeld * kLanes) {
    eliminate<kHeld>(rows, stride, begin, end, pivot, factor);
  }
  if (width == 1) eliminate<1>(rows, stride, begin, end, pivot, factor);
  if (width == 2) eliminate<2>(rows, stride, begin, end, pivot, factor);
  if (width == 3) eliminate<3>(rows, stride, begin, end, pivot, factor);
}

/// Eliminates the unknowns from the last to the first, so that a pivot's row is contiguous, in A
/// and b together: A = U D U^T, U unit upper triangular with column m in row m of `U`; b becomes
/// D^-1 U^-1 b.
/// @returns whether all pivots are positive
HWY_INLINE bool factor(double* A, std::size_t stride, std::size_t r, double* U, double* diagonal,
                       double* b) {
  bool positive = true;
  double inverse = 1.0 / A[(r - 1) * stride + r - 1];
  for (std::size_t m = r; m-- > 0;) {
    double* pivot = A + m * stride;
    double* column = U + m * stride;
    positive &= pivot[m] > 0.0;
    const Lanes over = all(inverse);
    const Lanes b_m = all(b[m]);
    diagonal[m] = b[m] * inverse;
    for (std::size_t l = 0; l < m; l += kLanes) {
      // The column ends before the diagonal; the values from there on must not enter b.
      const Lanes u = hn::IfThenElseZero(hn::FirstN(kTag, m - l), hn::Mul(load(pivot + l), over));
      store(u, column + l);
      store(hn::NegMulAdd(u, b_m, load(b + l)), b + l);
    }
    if (m == 0) break;
    // The next pivot's row first: its division overlaps with the update of the other rows.
    eliminate_rows(A, stride, m - 1, m, (m - 1) / kLanes + 1, pivot, column);
    inverse = 1.0 / (pivot - stride)[m - 1];
    for (std::size_t end = m - 1; end > 0;) {
      const std::size_t block = (end - 1) / kLanes;
      eliminate_rows(A, stride, block * kLanes, end, block + 1, pivot, column);
      end = block * kLanes;
    }
  }
  for (std::size_t m = 0; m < r; ++m) b[m] = diagonal[m];
  return positive;
}

/// b = U^-T b by forward substitution in blocks of kLanes unknowns: first the contribution of
/// earlier unknowns, then the block's triangle column by column.
HWY_INLINE void substitute(const double* U, std::size_t stride, std::size_t r, double* b,
                           double* block) {
  for (std::size_t m0 = 0; m0 < r; m0 += kLanes) {
    const std::size_t count = r - m0 < kLanes ? r - m0 : kLanes;
    Lanes x = load(b + m0);
    if (m0 > 0) {
      for (std::size_t w = 0; w < count; ++w) {
        Lanes dot = hn::Zero(kTag);
        for (std::size_t l = 0; l < m0; l += kLanes) {
          dot = hn::MulAdd(load(U + (m0 + w) * stride + l), load(b + l), dot);
        }
        store(dot, block + w * kLanes);
      }
      x = hn::Sub(x, hn::IfThenElseZero(hn::FirstN(kTag, count), sums_of(block, kLanes)));
    }
    for (std::size_t w = 0; w < kLanes * kLanes; w += kLanes) store(hn::Zero(kTag), block + w);
    for (std::size_t w = 1; w < count; ++w) {
      for (std::size_t l = 0; l < w; ++l) {
        block[l * kLanes + w] = U[(m0 + w) * stride + m0 + l];
      }
    }
    store(x, b + m0);
    for (std::size_t l = 0; l + 1 < count; ++l) {
      x = hn::NegMulAdd(load(block + l * kLanes), all(b[m0 + l]), x);
      store(x, b + m0);
    }
  }
}

bool solve(const HalvedTriangle& H, double scale, double shift, double* b,
           double* work) HAPTIC_REALTIME {
  const std::size_t r = H.rows, stride = H.stride;
  double* A = work;
  double* U = A + r * stride;
  double* diagonal = U + r * stride;
  double* block = diagonal + stride;
  const Lanes s = all(scale);
  for (std::size_t m = 0; m < r; ++m) {
    const double* from = H.values + m * stride;
    double* to = A + m * stride;
    for (std::size_t l = 0; l <= m; l += kLanes) {
      store(hn::Mul(s, load(from + l)), to + l);
    }
    to[m] += scale * from[m] + shift;
  }
  if (!factor(A, stride, r, U, diagonal, b)) return false;
  substitute(U, stride, r, b, block);
  return true;
}

}  // namespace

extern const SymmetricKernels kSymmetricKernels;
const SymmetricKernels kSymmetricKernels{product, unpack, solve};

}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haptic {

const SymmetricKernels& symmetric_kernels(SimdTarget target) {
  return for_target(target, N_AVX3::kSymmetricKernels, N_AVX2::kSymmetricKernels);
}

}  // namespace haptic
#endif
