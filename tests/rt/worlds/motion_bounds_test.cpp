#include "rt/worlds/motion_bounds.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace haptic {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(MotionBounds, speeds_are_bounded_in_both_directions) {
  EXPECT_TRUE(is_bounded_speed({}));
  EXPECT_TRUE(is_bounded_speed(std::vector{0.0, -1e6, 1e6}));
  for (const double wrong : {-1.1e6, 1.1e6, 1e47, kInfinity, -kInfinity, kNan}) {
    EXPECT_FALSE(is_bounded_speed(std::vector{0.0, wrong, 1.0})) << wrong;
  }
}

TEST(MotionBounds, a_stretch_is_bounded) {
  EXPECT_TRUE(is_bounded_stretch(0.0));
  EXPECT_TRUE(is_bounded_stretch(1000.0));
  for (const double wrong : {1001.0, 6e47, kInfinity, kNan})
    EXPECT_FALSE(is_bounded_stretch(wrong));
}

}  // namespace
}  // namespace haptic
