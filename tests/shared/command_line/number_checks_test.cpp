#include "shared/command_line/number_checks.h"

#include <gtest/gtest.h>

#include <string>

namespace haptic {
namespace {

TEST(NumberChecks, a_number_in_range_passes_and_nothing_else) {
  const CLI::Validator check = number_in(5.0, 1e5);
  for (const std::string good : {"5", "1e5", "12.5"}) EXPECT_EQ(check(good), "") << good;
  for (const std::string bad : {"nan", "-nan", "inf", "4.999", "100001", "", "5 ms", "five"}) {
    EXPECT_EQ(check(bad), "found " + bad + ", expected a number in [5 - 100000]");
  }
}

TEST(NumberChecks, a_duration_is_above_0_and_finite) {
  EXPECT_EQ(seconds_above_0()("0.001"), "");
  for (const std::string bad : {"0", "-1", "nan", "inf", "2e6"}) {
    EXPECT_NE(seconds_above_0()(bad), "") << bad;
  }
}

}  // namespace
}  // namespace haptic
