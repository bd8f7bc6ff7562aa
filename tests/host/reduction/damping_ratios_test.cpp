#include "host/reduction/damping_ratios.h"

#include <gtest/gtest.h>

#include <string>

#include "shared/error.h"

namespace haptic {
namespace {

TEST(DampingRatios, meets_both_ratios) {
  Eigen::VectorXd eigenvalues(3);
  eigenvalues << 30.0, 200.0, 900.0;
  const RayleighDamping damping = rayleigh_from_damping_ratios(eigenvalues, 0.02, 0.05);
  EXPECT_GE(damping.alpha, 0.0);
  EXPECT_GE(damping.beta, 0.0);
  EXPECT_NEAR(damping_ratio(damping, std::sqrt(30.0)), 0.02, 1e-15);
  EXPECT_NEAR(damping_ratio(damping, 30.0), 0.05, 1e-15);
}

TEST(DampingRatios, coefficients_are_not_negative_and_the_first_ratio_is_exact) {
  Eigen::VectorXd eigenvalues(2);
  eigenvalues << 100.0, 400.0;
  // A stiffness term alone doubles the ratio over this octave, a mass term alone halves it.
  const RayleighDamping steep = rayleigh_from_damping_ratios(eigenvalues, 0.01, 0.05);
  EXPECT_EQ(steep.alpha, 0.0);
  EXPECT_NEAR(damping_ratio(steep, 10.0), 0.01, 1e-16);
  EXPECT_NEAR(damping_ratio(steep, 20.0), 0.02, 1e-16);
  const RayleighDamping falling = rayleigh_from_damping_ratios(eigenvalues, 0.05, 0.01);
  EXPECT_EQ(falling.beta, 0.0);
  EXPECT_NEAR(damping_ratio(falling, 10.0), 0.05, 1e-16);
  EXPECT_NEAR(damping_ratio(falling, 20.0), 0.025, 1e-16);
}

TEST(DampingRatios, refuses_negative_ratios_and_accepts_zero) {
  const Eigen::VectorXd eigenvalues = Eigen::VectorXd::Constant(1, 64.0);
  EXPECT_THROW(rayleigh_from_damping_ratios(eigenvalues, -0.01, 0.01), InputError);
  const RayleighDamping none = rayleigh_from_damping_ratios(eigenvalues, 0.0, 0.0);
  EXPECT_EQ(none.alpha, 0.0);
  EXPECT_EQ(none.beta, 0.0);
}

TEST(DampingRatios, one_frequency_takes_the_first_ratio) {
  const Eigen::VectorXd eigenvalues = Eigen::VectorXd::Constant(1, 64.0);
  const RayleighDamping damping = rayleigh_from_damping_ratios(eigenvalues, 0.03, 0.05);
  EXPECT_NEAR(damping_ratio(damping, 8.0), 0.03, 1e-16);
}

}  // namespace
}  // namespace haptic
