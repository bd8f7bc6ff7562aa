#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rt/dynamics/symmetric_kernels.cpp"
// As in quartic_kernels.cpp.
#define HWY_DISABLE_PCLMUL_AES
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>
// Not before: foreach_target.h includes this file once for each target.
#include "rt/dynamics/lanes-inl.h"
#include "rt/dynamics/symmetric_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

/// Vectors of a row that are updated from registers at once.
constexpr std::size_t kHeld = 4;

void product(const HalvedTriangle& H, const double* x, double* y, double* dots) HAPTIC_REALTIME {
  for (std::size_t l = 0; l < H.stride; l += kLanes) store(hn::Zero(kTag), y + l);
  for (std::size_t m = 0; m < H.rows; ++m) {
    const double* row = H.values + m * H.stride;
    const Lanes x_m = all(x[m]);
    Lanes dot = hn::Zero(kTag);
    for (std::size_t l = 0; l <= m; l += kLanes) {
      const Lanes T = load(row + l);
      dot = hn::MulAdd(T, load(x + l), dot);
      store(hn::MulAdd(x_m, T, load(y + l)), y + l);
    }
    store(dot, dots + 8 * m);
  }
  for (std::size_t l = 0; l < H.rows; l += kLanes) {
    const Lanes sums = hn::IfThenElseZero(hn::FirstN(kTag, H.rows - l), sums_of(dots + 8 * l, 8));
    store(hn::Add(load(y + l), sums), y + l);
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

/// Eliminates the last unknown first, so that a pivot's row is contiguous, and the right-hand side
/// with it: A = U D U^T, U unit upper triangular with column m in `U`'s row m; b becomes D^-1 U^-1
/// b.
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
      // From the diagonal on the column ends: what lies there must not reach b.
      const Lanes u = hn::IfThenElseZero(hn::FirstN(kTag, m - l), hn::Mul(load(pivot + l), over));
      store(u, column + l);
      store(hn::NegMulAdd(u, b_m, load(b + l)), b + l);
    }
    if (m == 0) break;
    // The next pivot's row first: its division runs beside the other rows.
    eliminate_rows(A, stride, m - 1, m, (m - 1) / kLanes + 1, pivot, column);
    inverse = 1.0 / pivot[m - 1 - stride];
    for (std::size_t end = m - 1; end > 0;) {
      const std::size_t block = (end - 1) / kLanes;
      eliminate_rows(A, stride, block * kLanes, end, block + 1, pivot, column);
      end = block * kLanes;
    }
  }
  for (std::size_t m = 0; m < r; ++m) b[m] = diagonal[m];
  return positive;
}

/// b = U^-T b, ascending: blocks of kLanes unknowns, first what the earlier ones take away, then
/// the block's own triangle column by column.
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
const SymmetricKernels kSymmetricKernels{product, solve};

}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haptic {

const SymmetricKernels& symmetric_kernels(SimdTarget target) {
  return target == SimdTarget::kAvx512 ? N_AVX3::kSymmetricKernels : N_AVX2::kSymmetricKernels;
}

}  // namespace haptic
#endif
