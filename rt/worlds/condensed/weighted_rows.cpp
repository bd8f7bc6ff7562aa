#define HWY_TARGET_INCLUDE "rt/worlds/condensed/weighted_rows.cpp"
#include "rt/worlds/condensed/weighted_rows.h"

#include <algorithm>
#include <cmath>

#include "shared/simd/foreach_target.h"
#include "shared/simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haptic::condensed {
namespace HWY_NAMESPACE {
namespace {

using namespace haptic::HWY_NAMESPACE;  // lanes of this target

/// Values of the sum that stay in the L1 cache while rows stream past.
constexpr std::size_t kPart = 1024;
/// Rows that are read side by side: as many streams as the prefetchers follow.
constexpr std::size_t kSideBySide = 8;

HWY_INLINE Lanes load_unaligned(const double* p) {
  return hn::LoadU(kTag, p);
}
HWY_INLINE Lanes load_unaligned(const float* p) {
  return hn::PromoteTo(kTag, hn::LoadU(hn::Rebind<float, Tag>(), p));
}

/// Part of the sum by exactly `kRows` rows.
template <std::size_t kRows, class Value>
HWY_INLINE void add_rows(const Value* const* rows, const double* weights, std::size_t begin,
                         std::size_t end, double* sum) {
  const Value* at[kRows];
  Lanes w[kRows];
  HAPTIC_UNROLL for (std::size_t i = 0; i < kRows; ++i) {
    at[i] = rows[i];
    w[i] = all(weights[i]);
  }
  std::size_t e = begin;
  // Two chains of dependent additions side by side hide the latency of each.
  for (; e + 2 * kLanes <= end; e += 2 * kLanes) {
    Lanes a = load_unaligned(sum + e), b = load_unaligned(sum + e + kLanes);
    HAPTIC_UNROLL for (std::size_t i = 0; i < kRows; ++i) {
      a = hn::MulAdd(w[i], load_unaligned(at[i] + e), a);
      b = hn::MulAdd(w[i], load_unaligned(at[i] + e + kLanes), b);
    }
    hn::StoreU(a, kTag, sum + e);
    hn::StoreU(b, kTag, sum + e + kLanes);
  }
  for (; e < end; ++e) {
    double value = sum[e];
    HAPTIC_UNROLL for (std::size_t i = 0; i < kRows; ++i) {
      value = std::fma(weights[i], static_cast<double>(at[i][e]), value);
    }
    sum[e] = value;
  }
}

template <class Value>
void add_all(const Value* const* rows, const double* weights, std::size_t count, std::size_t length,
             double* sum) HAPTIC_REALTIME {
  for (std::size_t begin = 0; begin < length; begin += kPart) {
    const std::size_t end = std::min(begin + kPart, length);
    std::size_t i = 0;
    for (; i + kSideBySide <= count; i += kSideBySide) {
      add_rows<kSideBySide>(rows + i, weights + i, begin, end, sum);
    }
    for (; i + 3 <= count; i += 3) add_rows<3>(rows + i, weights + i, begin, end, sum);
    for (; i < count; ++i) add_rows<1>(rows + i, weights + i, begin, end, sum);
  }
}

}  // namespace

extern const WeightedRowsKernels kWeightedRowsKernels;
const WeightedRowsKernels kWeightedRowsKernels{add_all<float>, add_all<double>};

}  // namespace HWY_NAMESPACE
}  // namespace haptic::condensed
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haptic::condensed {

const WeightedRowsKernels& weighted_rows_kernels(SimdTarget target) {
  return for_target(target, N_AVX3::kWeightedRowsKernels, N_AVX2::kWeightedRowsKernels);
}

}  // namespace haptic::condensed
#endif
