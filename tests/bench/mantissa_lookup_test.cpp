#include "bench/mantissa_lookup.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace haptic {
namespace {

TEST(MantissaLookup, cell_and_fraction_are_right_to_the_last_bit_of_the_mantissa) {
  std::mt19937 random(31);
  for (const std::uint32_t k : {7u, 8u, 9u}) {
    const std::uint32_t cells = 1u << k;
    double worst = 0.0;
    for (int i = 0; i < 4000000; ++i) {
      const float w = static_cast<float>(std::ldexp(random(), -32));
      const MantissaCell cell = mantissa_lookup(w, k);
      ASSERT_LT(cell.index, cells);
      ASSERT_GE(cell.fraction, 0.0f);
      ASSERT_LT(cell.fraction, 1.0f);
      if (w >= 1.0f - 0x1p-23f) continue;  // clamped
      worst = std::max(worst, std::abs(static_cast<double>(cell.index) + cell.fraction -
                                       static_cast<double>(w) * cells));
    }
    // 1 + w rounds to 2^-24; a voxel is 2^-k.
    EXPECT_LE(worst, std::ldexp(1.0, -static_cast<int>(24 - k))) << k;
    EXPECT_GT(worst, 0.0);
  }
  for (const float w : {0.0f, 1.0f - 0x1p-24f, 1.0f}) {
    EXPECT_LT(mantissa_lookup(w, 8).index, 256u);
  }
  EXPECT_EQ(mantissa_lookup(1.0f, 8).index, 255u);
}

}  // namespace
}  // namespace haptic
