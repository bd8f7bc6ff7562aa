#pragma once

#include <immintrin.h>

#include <cmath>

#include "shared/math/double4.h"
#include "shared/math/pose.h"
#include "shared/realtime.h"

namespace haptic::cloth {

/// A box along the axes in single precision, rounded outwards: a few vector operations tell
/// whether two of them overlap. Coordinates up to kMax [m]; the fourth lane is 0.
struct PackedBox {
  static constexpr double kMax = 1e30;

  simd::Float4 upper{}, minus_lower{};

  PackedBox() = default;
  /// Holds the box from `low` to `high`, and is larger by at most 2e-7 of the coordinates.
  PackedBox(const Vector3& low, const Vector3& high) HAPTIC_REALTIME
      : upper{rounded_up(high[0]), rounded_up(high[1]), rounded_up(high[2]), 0.0f},
        minus_lower{rounded_up(-low[0]), rounded_up(-low[1]), rounded_up(-low[2]), 0.0f} {}

  void add(const PackedBox& other) HAPTIC_REALTIME {
    upper = _mm_max_ps(upper, other.upper);
    minus_lower = _mm_max_ps(minus_lower, other.minus_lower);
  }

 private:
  static float rounded_up(double value) HAPTIC_REALTIME {
    // Half a unit in the last place of a float is at most 6e-8 of it.
    return static_cast<float>(value + 1.2e-7 * std::abs(value) + 1e-37);
  }
};

/// The sign bits of the gaps along three axes, both ways, at once.
inline bool overlap(const PackedBox& a, const PackedBox& b) HAPTIC_REALTIME {
  const simd::Float4 least = _mm_min_ps(a.upper + b.minus_lower, a.minus_lower + b.upper);
  return _mm_movemask_ps(least) == 0;
}

}  // namespace haptic::cloth
