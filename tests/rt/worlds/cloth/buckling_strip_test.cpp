#include "rt/worlds/cloth/buckling_strip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace haptic::cloth {
namespace {

TEST(BucklingStrip, inverse_sinc_is_exact_from_0_to_1) {
  EXPECT_EQ(squared_inverse_sinc(1.0), 0.0);
  EXPECT_NEAR(squared_inverse_sinc(0.0), std::numbers::pi * std::numbers::pi, 1e-13);
  for (double u = 0.001; u < std::numbers::pi; u += 0.001) {
    // The argument's rounding, up to 2e-16 twice, is 6 times as much in u^2; the rest is relative.
    EXPECT_NEAR(squared_inverse_sinc(std::sin(u) / u), u * u, 2e-15 + 1e-14 * u * u);
  }
}

TEST(BucklingStrip, tension_is_the_derivative_of_the_energy) {
  const double L = 0.2, k_b = 1e-4;
  const BucklingStrip strip(L, k_b, 0.5);
  for (double share = 0.02; share < 0.999; share += 0.007) {
    const double l = share * L, step = 1e-5 * L;
    const double difference =
        (strip.arc(l + step).energy - strip.arc(l - step).energy) / (2.0 * step);
    EXPECT_NEAR(strip.arc(l).tension, difference, 1e-6 * std::abs(difference)) << share;
    const double slope = (strip.arc(l + step).tension - strip.arc(l - step).tension) / (2.0 * step);
    EXPECT_NEAR(strip.arc(l).stiffness, slope, 1e-6 * std::abs(slope)) << share;
    EXPECT_GT(slope, 0.0);
  }
}

/// The closed form of Choi & Ko 2002, with the curvature, where it has all its digits.
TEST(BucklingStrip, tension_equals_the_printed_form) {
  const double L = 0.2, k_b = 1e-4;
  const BucklingStrip strip(L, k_b, 1.0);
  for (const double u : {0.8, 1.5, 2.5, 3.0}) {
    const double sinc = std::sin(u) / u, kappa = 2.0 * u / L;
    const double printed = k_b * kappa * kappa / (std::cos(u) - sinc);
    EXPECT_NEAR(strip.arc(L * sinc).tension, printed, 1e-12 * std::abs(printed));
  }
}

TEST(BucklingStrip, begins_with_the_buckling_load_and_is_bounded_near_rest) {
  const double L = 0.2, k_b = 1e-4, bound = 40.0;
  const BucklingStrip strip(L, k_b, bound);
  const double load = 12.0 * k_b / (L * L);
  EXPECT_NEAR(strip.arc(L * (1.0 - 1e-12)).tension, -load, 1e-9 * load);
  EXPECT_EQ(strip.at(L).tension, 0.0);
  EXPECT_EQ(strip.at(1.5 * L).tension, 0.0);
  EXPECT_NEAR(strip.at(L - 1e-5).tension, -bound * 1e-5, 1e-15);
  EXPECT_EQ(strip.at(0.5 * L).tension, strip.arc(0.5 * L).tension);
  // Tension and energy have no jump, and belong together everywhere.
  double largest_jump = 0.0;
  for (double l = 0.001; l < 1.05 * L; l += 1e-5) {
    const auto here = strip.at(l), next = strip.at(l + 1e-5);
    largest_jump = std::max(largest_jump, std::abs(next.tension - here.tension));
    EXPECT_NEAR(next.energy - here.energy, 0.5e-5 * (here.tension + next.tension),
                1e-9);  // the kink
    EXPECT_LE(here.tension, 0.0);
    EXPECT_GE(here.energy, 0.0);
  }
  EXPECT_LE(largest_jump, 1.001 * bound * 1e-5);
}

/// The series near rest continue the closed forms, which have lost two digits there, at q = 0.05.
TEST(BucklingStrip, series_and_closed_forms_meet) {
  const BucklingStrip strip(1.0, 1.0, 1.0);
  const double u = std::sqrt(0.05), l = std::sin(u) / u;
  const auto below = strip.arc(l + 1e-13), above = strip.arc(l - 1e-13);  // q by 6e-13
  EXPECT_NEAR(below.tension, above.tension, 1e-12 * std::abs(above.tension));
  EXPECT_NEAR(below.stiffness, above.stiffness, 1e-11 * above.stiffness);
  EXPECT_NEAR(below.energy, above.energy, 1e-11);
}

TEST(BucklingStrip, without_rigidity_or_without_a_bound_it_exerts_nothing) {
  for (const double l : {0.0, 0.05, 0.1, 0.19999, 0.2}) {
    EXPECT_EQ(BucklingStrip(0.2, 0.0, 10.0).at(l).tension, 0.0);
    EXPECT_EQ(BucklingStrip(0.2, 1e-4, 0.0).at(l).tension, 0.0);
  }
}

}  // namespace
}  // namespace haptic::cloth
