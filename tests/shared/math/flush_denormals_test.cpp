#include "shared/math/flush_denormals.h"

#include <gtest/gtest.h>

#include <limits>

namespace haptic {
namespace {

TEST(FlushDenormals, denormals_are_zero_inside_and_restored_outside) {
  volatile double smallest_normal = std::numeric_limits<double>::min();
  volatile double denormal = smallest_normal / 4.0;
  ASSERT_GT(denormal, 0.0);
  {
    const FlushDenormals flushed;
    volatile double result = smallest_normal / 4.0;  // a result that would be denormal
    volatile double doubled = denormal * 2.0;        // an operand that is
    EXPECT_EQ(result, 0.0);
    EXPECT_EQ(doubled, 0.0);
  }
  volatile double result = smallest_normal / 4.0;
  EXPECT_GT(result, 0.0);
}

}  // namespace
}  // namespace haptic
