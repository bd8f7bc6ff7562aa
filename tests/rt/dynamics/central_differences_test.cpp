#include "rt/dynamics/central_differences.h"

#include <gtest/gtest.h>

#include <numbers>

#include "lab/samples/random_energy.h"
#include "rt/dynamics/newmark_integrator.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

ReducedEnergy stiff_linear_system() {
  const Eigen::MatrixXd half = Eigen::MatrixXd::Random(5, 5);
  return linear_energy(100.0 * half * half.transpose() + Eigen::MatrixXd::Identity(5, 5));
}

/// Largest |q| over 2000 steps of dt from a random start; infinite once it diverges.
double largest_excursion(const ReducedEnergy& energy, double dt) {
  CentralDifferences integrator(energy, dt);
  const Eigen::VectorXd q = random_state(5, 1), none = Eigen::VectorXd::Zero(5);
  EXPECT_EQ(integrator.set_state(view(q), view(none), view(none)), StepResult::kOk);
  double largest = q.norm();
  for (int i = 0; i < 2000; ++i) {
    if (integrator.step(view(none)) != StepResult::kOk) return INFINITY;
    largest = std::max(largest, vector_of(integrator.state().q).norm());
  }
  return largest;
}

TEST(CentralDifferences, stable_below_two_over_the_largest_frequency) {
  const ReducedEnergy energy = stiff_linear_system();
  const double w = largest_angular_frequency(energy);
  // Just below the limit the fast mode is amplified by at most 1/sqrt(1 - 0.98^2) = 5.
  EXPECT_LT(largest_excursion(energy, 0.98 * 2.0 / w), 10.0 * random_state(5, 1).norm());
  // Growth rate at 1.02: arcosh-like, about 1.4 a step.
  EXPECT_GT(largest_excursion(energy, 1.02 * 2.0 / w), 1e10);
  EXPECT_GT(largest_excursion(energy, 2.0 * std::numbers::pi / w), 1e10);
}

TEST(CentralDifferences, agrees_with_newmark_for_small_steps) {
  const ReducedEnergy energy = StrainLikeCoefficients(5, 0.3).energy();
  const RayleighDamping damping{0.2, 0.01};
  const Eigen::VectorXd f = random_state(5, 2);
  const auto difference = [&](int steps) {
    CentralDifferences central(energy, 1.0 / steps, damping);
    NewmarkIntegrator newmark(energy, 1.0 / steps, damping, {3, 0.0});
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(5);
    EXPECT_EQ(central.set_state(view(none), view(none), view(f)), StepResult::kOk);
    EXPECT_EQ(newmark.set_state(view(none), view(none), view(f)), StepResult::kOk);
    for (int i = 0; i < steps; ++i) {
      EXPECT_EQ(central.step(view(f)), StepResult::kOk);
      EXPECT_EQ(newmark.step(view(f)), StepResult::kOk);
    }
    return (vector_of(central.state().q) - vector_of(newmark.state().q)).norm();
  };
  // Both are of second order, and so is their difference.
  EXPECT_NEAR(difference(1000) / difference(2000), 4.0, 0.2);
}

TEST(CentralDifferences, step_does_not_allocate) {
  const ReducedEnergy energy = StrainLikeCoefficients(12, 0.3).energy();
  CentralDifferences integrator(energy, 1e-4, {0.1, 1e-4});
  const Eigen::VectorXd f = random_state(12, 2);
  StepResult result = StepResult::kDiverged;
  {
    NoAllocation guard;
    result = integrator.step(view(f));
  }
  EXPECT_EQ(result, StepResult::kOk);
}

}  // namespace
}  // namespace haptic
