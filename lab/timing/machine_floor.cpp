#include "lab/timing/machine_floor.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "shared/simd/simd_target.h"

#define HWY_TARGET_INCLUDE "lab/timing/machine_floor.cpp"
#include "shared/simd/foreach_target.h"
#include "shared/simd/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace haptic {
namespace HWY_NAMESPACE {
namespace {

constexpr std::size_t kChains = 12;  // more than latency times units

/// @returns operations done
double multiply_add(std::size_t rounds, double* sink) {
  Lanes chain[kChains];
  HAPTIC_UNROLL for (std::size_t c = 0; c < kChains; ++c) chain[c] = all(static_cast<double>(c));
  const Lanes x = all(0.5), y = all(0.25);
  for (std::size_t k = 0; k < rounds; ++k) {
    HAPTIC_UNROLL for (int again = 0; again < 8; ++again) {
      HAPTIC_UNROLL for (std::size_t c = 0; c < kChains; ++c) {
        chain[c] = hn::MulAdd(chain[c], x, y);
      }
    }
  }
  HAPTIC_UNROLL for (std::size_t c = 0; c < kChains; ++c) store(chain[c], sink + c * kLanes);
  return 2.0 * 8.0 * static_cast<double>(kChains * kLanes * rounds);
}

double read(const double* values, std::size_t count) {
  Lanes sum[8];
  HAPTIC_UNROLL for (std::size_t c = 0; c < 8; ++c) sum[c] = hn::Zero(kTag);
  std::size_t t = 0;
  for (; t + 8 * kLanes <= count; t += 8 * kLanes) {
    HAPTIC_UNROLL for (std::size_t c = 0; c < 8; ++c) {
      sum[c] = hn::Add(sum[c], load(values + t + c * kLanes));
    }
  }
  double total = 0.0;
  for (; t < count; ++t) total += values[t];
  HAPTIC_UNROLL for (std::size_t c = 1; c < 8; ++c) sum[0] = hn::Add(sum[0], sum[c]);
  return total + hn::GetLane(hn::SumOfLanes(kTag, sum[0]));
}

}  // namespace

struct Floor {
  decltype(&multiply_add) multiply_add_rounds;
  decltype(&read) read_all;
};
extern const Floor kFloor;
const Floor kFloor{multiply_add, read};

}  // namespace HWY_NAMESPACE
}  // namespace haptic
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace haptic {

double peak_flops() {
  const auto rounds = for_target(simd_target(), N_AVX3::kFloor.multiply_add_rounds,
                                 N_AVX2::kFloor.multiply_add_rounds);
  alignas(64) double sink[128];
  double best = 0.0;
  for (int trial = 0; trial < 200; ++trial) {
    const auto start = std::chrono::steady_clock::now();
    const double done = rounds(1000, sink);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::max(best, done / seconds.count());
  }
  return best;
}

double stream(std::span<const double> values) {
  static const auto read_all =
      for_target(simd_target(), N_AVX3::kFloor.read_all, N_AVX2::kFloor.read_all);
  return read_all(values.data(), values.size());
}

}  // namespace haptic
#endif
