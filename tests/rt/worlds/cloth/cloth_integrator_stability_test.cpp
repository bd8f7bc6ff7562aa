#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lab/samples/cloth_samples.h"
#include "rt/worlds/cloth/cloth_integrator.h"
#include "rt/worlds/cloth/runge_kutta.h"
#include "tests/rt/worlds/cloth/integrator_samples.h"

namespace haptic::cloth {
namespace {

TEST(ClothIntegrator, euler_leaves_the_circle_outwards) {
  double last = 1.0;
  for (const int steps : {4000, 1000, 400, 100, 40}) {
    SampleCloth sample = oscillator();
    at(sample.state.v, 1) = Vector3::UnitY();  // on the circle of radius 1
    const double turn = 2.0 * std::numbers::pi;
    RungeKutta euler(sample.system, turn / steps, RungeKuttaMethod::kEuler);
    double radius = 1.0;
    for (int k = 0; k < steps; ++k) {
      ASSERT_EQ(euler.step(sample.state), ClothStepResult::kOk);
      const double now = at(sample.state.x, 1).norm();
      EXPECT_GE(now, radius);
      radius = now;
    }
    EXPECT_GT(radius, last);
    // Each step multiplies the radius by sqrt(1 + h^2).
    const double h = turn / steps;
    EXPECT_NEAR(radius, std::pow(1.0 + h * h, 0.5 * steps), 1e-9 * radius);
    last = radius;
  }
}

/// Whether an oscillation stays below 10 times its start over 4000 steps. Beyond the limit by
/// 0.005 it grows by 1.07 a step and more.
bool bounded(Explicit method, double h) {
  SampleCloth sample = oscillator();
  const auto integrator = make_explicit(method, sample.system, h);
  for (int k = 0; k < 4000; ++k) {
    if (integrator->step(sample.state) != ClothStepResult::kOk) return false;
    if (std::abs(sample.state.x[3]) > 10.0) return false;
  }
  return true;
}

TEST(ClothIntegrator, stability_limits_of_the_undamped_oscillator) {
  const auto limit = [](Explicit method) {
    double stable = 1.0, unstable = 4.0;
    for (int k = 0; k < 12; ++k) {
      const double h = 0.5 * (stable + unstable);
      (bounded(method, h) ? stable : unstable) = h;
    }
    return stable;
  };
  EXPECT_NEAR(limit(Explicit::kRungeKutta4), 2.0 * std::numbers::sqrt2, 0.01);
  EXPECT_NEAR(limit(Explicit::kBasicVerlet), 2.0, 0.01);
  EXPECT_NEAR(limit(Explicit::kVelocityVerlet), 2.0, 0.01);
  EXPECT_NEAR(limit(Explicit::kLeapfrog), 2.0, 0.01);
  // Errata: Verlet is not as stable as RK4. Euler and midpoint amplify at every step length:
  for (const double h : {0.01, 0.1, 0.5, 1.0}) {
    for (const Explicit method : {Explicit::kEuler, Explicit::kMidpoint}) {
      SampleCloth sample = oscillator();
      at(sample.state.v, 1) = Vector3::UnitY();
      const auto integrator = make_explicit(method, sample.system, h);
      ASSERT_EQ(run(*integrator, sample.state, 1), 1);
      const double amplified = std::sqrt(
          0.5 * (at(sample.state.x, 1).squaredNorm() + at(sample.state.v, 1).squaredNorm()));
      const double expected = method == Explicit::kEuler ? std::sqrt(1.0 + h * h)
                                                         : std::sqrt(1.0 + h * h * h * h / 4.0);
      EXPECT_NEAR(amplified, expected, 1e-14);
      EXPECT_GT(amplified, 1.0);
    }
  }
}

}  // namespace
}  // namespace haptic::cloth
