#pragma once

#include <immintrin.h>

#include <array>
#include <cstdint>

#include "rt/worlds/cloth/collision/packed_box.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// Eight boxes, coordinate by coordinate, that one box is compared with at once.
class PackedBoxBlock {
 public:
  static constexpr std::uint32_t kSize = 8;

  void set(std::uint32_t k, const PackedBox& box) HAPTIC_REALTIME {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      upper_[axis][k] = box.upper[axis];
      minus_lower_[axis][k] = box.minus_lower[axis];
    }
  }
  /// A bit for each of the first `count` boxes that overlaps `box`.
  std::uint32_t overlaps(const PackedBox& box, std::uint32_t count) const HAPTIC_REALTIME {
    __m256 gap = _mm256_set1_ps(0.0f);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const __m256 above =
          _mm256_add_ps(_mm256_load_ps(upper_[axis].data()), _mm256_set1_ps(box.minus_lower[axis]));
      const __m256 below =
          _mm256_add_ps(_mm256_load_ps(minus_lower_[axis].data()), _mm256_set1_ps(box.upper[axis]));
      gap = _mm256_or_ps(gap, _mm256_or_ps(above, below));
    }
    const auto apart = static_cast<std::uint32_t>(_mm256_movemask_ps(gap));  // the sign bits
    return ~apart & ((1u << count) - 1u);
  }

 private:
  alignas(32) std::array<std::array<float, kSize>, 3> upper_{}, minus_lower_{};
};

}  // namespace haptic::cloth
