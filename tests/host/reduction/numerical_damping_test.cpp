#include "host/reduction/numerical_damping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lab/samples/random_energy.h"
#include "rt/dynamics/central_differences.h"
#include "shared/error.h"

namespace haptic {
namespace {

/// One vertex that the first three coordinates move by themselves.
std::vector<double> unit_basis(std::size_t r) {
  std::vector<double> basis(3 * r, 0.0);
  for (std::size_t i = 0; i < std::min<std::size_t>(3, r); ++i) basis[i * r + i] = 1.0;
  return basis;
}

// Average acceleration removes no energy from a linear system, for any number of steps.
TEST(NumericalDamping, linear_modes_lose_no_energy) {
  const Eigen::MatrixXd P = Eigen::Vector3d(1.0, 40.0, 900.0).asDiagonal();
  const NumericalDampingReport report = measure_numerical_damping(
      linear_energy(P), unit_basis(3), {.dt = 0.05, .small = 1e-3, .large = 0.5});
  ASSERT_EQ(report.modes.size(), 3U);
  EXPECT_NEAR(report.modes[0].frequency_Hz, 0.5 / std::numbers::pi, 1e-12);
  EXPECT_NEAR(report.modes[2].steps_per_period, 2.0 * std::numbers::pi / 30.0 / 0.05, 1e-9);
  EXPECT_NEAR(report.central_difference_limit_s, 2.0 / 30.0, 1e-12);
  EXPECT_NEAR(report.central_difference_limit_s, 2.0 / largest_angular_frequency(linear_energy(P)),
              1e-15);
  for (const ModeDamping& mode : report.modes) {
    EXPECT_NEAR(mode.loss_small, 0.0, 1e-10);
    EXPECT_NEAR(mode.loss_large, 0.0, 1e-10);
  }
}

// The loss arises from amplitude and the single Newton step; more steps or iterations reduce it.
TEST(NumericalDamping, loss_grows_with_amplitude_and_falls_with_steps_and_iterations) {
  const double one = 1.0, zero = 0.0, two = 2.0;
  const ReducedEnergy duffing(1, {&one, 1}, {&zero, 1}, {&two, 1});
  const auto measure = [&](double dt, std::uint32_t iterations) {
    return measure_numerical_damping(
               duffing, unit_basis(1),
               {.dt = dt, .iterations = iterations, .small = 1e-3, .large = 1.0})
        .modes.at(0);
  };
  const ModeDamping coarse = measure(0.1, 1), fine = measure(0.02, 1), iterated = measure(0.1, 3);
  EXPECT_LT(std::abs(coarse.loss_small), 1e-6);
  EXPECT_GT(coarse.loss_large, 1e-3);
  EXPECT_LT(fine.loss_large, 0.1 * coarse.loss_large);
  EXPECT_LT(std::abs(iterated.loss_large), 0.1 * coarse.loss_large);
}

TEST(NumericalDamping, bad_settings_are_refused) {
  const ReducedEnergy energy = linear_energy(Eigen::MatrixXd::Identity(2, 2));
  const std::vector<double> basis = unit_basis(2);
  EXPECT_THROW(measure_numerical_damping(energy, basis, {.small = 0.0, .large = 1.0}), InputError);
  EXPECT_THROW(measure_numerical_damping(energy, basis, {.dt = -1.0, .small = 1.0, .large = 1.0}),
               InputError);
  EXPECT_THROW(
      measure_numerical_damping(energy, basis, {.iterations = 0, .small = 1.0, .large = 1.0}),
      InputError);
  EXPECT_THROW(measure_numerical_damping(energy, {}, {.small = 1.0, .large = 1.0}), InputError);
}

}  // namespace
}  // namespace haptic
