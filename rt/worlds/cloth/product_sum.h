#pragma once

#include <cstddef>
#include <span>

#include "shared/realtime.h"

namespace haptic::cloth {

/// a . b of spans of one length. Eight chains of sums, which a compiler can put into vectors
/// without changing their order.
inline double product_sum(std::span<const double> a, std::span<const double> b) HAPTIC_REALTIME {
  constexpr std::size_t kChains = 8;
  double sums[kChains] = {};
  const std::size_t whole = a.size() - a.size() % kChains;
  for (std::size_t k = 0; k < whole; k += kChains) {
    for (std::size_t c = 0; c < kChains; ++c) sums[c] += a[k + c] * b[k + c];
  }
  for (std::size_t k = whole; k < a.size(); ++k) sums[0] += a[k] * b[k];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace haptic::cloth
