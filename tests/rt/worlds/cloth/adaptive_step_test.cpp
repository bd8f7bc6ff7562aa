#include "rt/worlds/cloth/adaptive_step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/samples/cloth_samples.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

TEST(AdaptiveStep, scale_of_the_step) {
  EXPECT_NEAR(step_scale(1e-4, 1e-8, 2), 100.0, 1e-12);
  EXPECT_NEAR(step_scale(1e-4, 1e-8, 5), std::pow(1e4, 0.2), 1e-12);
  EXPECT_EQ(step_scale(1e-4, HUGE_VAL, 3), 0.0);
  EXPECT_EQ(step_scale(1e-4, 0.0, 3), HUGE_VAL);
}

struct OscillatorRun {
  double error = 0.0, largest = 0.0;
  std::size_t accepted = 0, rejected = 0;
};

/// The oscillator to t = 5 in calls of 0.5 s.
OscillatorRun run_oscillator(RungeKuttaMethod method, double tolerance) {
  SampleCloth sample = oscillator();
  AdaptiveStep integrator(sample.system, 0.5, method,
                          {.tolerance = tolerance, .time_scale = 1.0, .most_tries = 10000});
  OscillatorRun run;
  for (int k = 0; k < 10; ++k) {
    EXPECT_EQ(integrator.step(sample.state), ClothStepResult::kOk);
    run.largest = std::max(run.largest, integrator.report().largest_error);
    run.accepted += integrator.report().accepted;
    run.rejected += integrator.report().rejected;
  }
  EXPECT_NEAR(sample.state.time, 5.0, 1e-12);
  run.error = std::abs(sample.state.x[3] - std::cos(5.0));
  return run;
}

TEST(AdaptiveStep, accepted_errors_are_within_the_tolerance_and_a_smaller_one_helps) {
  for (const auto method :
       {RungeKuttaMethod::kEuler, RungeKuttaMethod::kMidpoint, RungeKuttaMethod::kRungeKutta4}) {
    double last = HUGE_VAL;
    for (double tolerance = 4e-5; tolerance > 1e-6; tolerance *= 0.5) {
      const OscillatorRun run = run_oscillator(method, tolerance);
      EXPECT_LE(run.largest, tolerance);
      EXPECT_GT(run.largest, 0.3 * tolerance);  // 0.9^5 = 0.59, and the scale follows the motion
      EXPECT_GT(run.rejected, 0u);
      EXPECT_LT(run.error, last);
      last = run.error;
    }
  }
}

TEST(AdaptiveStep, forces_of_time_are_taken_at_their_times) {
  ClothSurroundings surroundings = weightless();
  surroundings.air.gust = {Vector3(1.0, 0.0, 0.0), 0.5, 3.0};
  ClothSystem system({0.5}, Springs{}, {}, surroundings);
  const auto end = [&](double tolerance, int steps) {
    ClothState state;
    state.x.assign(3, 0.0);
    state.v.assign(3, 0.0);
    AdaptiveStep integrator(system, 2.0 / steps, RungeKuttaMethod::kRungeKutta4,
                            {.tolerance = tolerance, .time_scale = 1.0, .most_tries = 10000});
    for (int k = 0; k < steps; ++k) {
      EXPECT_EQ(integrator.step(state), ClothStepResult::kOk);
    }
    return state.x[0];
  };
  // Some twenty steps, each within 1e-7 m.
  EXPECT_NEAR(end(1e-7, 4), end(1e-13, 200), 2e-6);
}

TEST(AdaptiveStep, stiff_springs_shorten_the_step_and_a_bound_ends_it) {
  SampleCloth soft = oscillator(1.0), stiff = oscillator(1e6);
  const AdaptiveStep::Settings settings{.tolerance = 1e-6, .time_scale = 1e-3, .most_tries = 200};
  AdaptiveStep of_soft(soft.system, 0.01, RungeKuttaMethod::kRungeKutta4, settings);
  AdaptiveStep of_stiff(stiff.system, 0.01, RungeKuttaMethod::kRungeKutta4, settings);
  {
    NoAllocation guard;
    ASSERT_EQ(of_soft.step(soft.state), ClothStepResult::kOk);
    ASSERT_EQ(of_stiff.step(stiff.state), ClothStepResult::kOk);
  }
  EXPECT_EQ(of_soft.report().accepted, 1u);
  EXPECT_GT(of_stiff.report().accepted, 20u);
  // cos(10) after ten radians; the errors of some forty steps of at most 1e-6 m.
  EXPECT_NEAR(stiff.state.x[3], std::cos(10.0), 1e-4);
  SampleCloth other = oscillator(1e6);
  AdaptiveStep bounded(other.system, 0.01, RungeKuttaMethod::kRungeKutta4,
                       {.tolerance = 1e-6, .time_scale = 1e-3, .most_tries = 10});
  ASSERT_EQ(bounded.step(other.state), ClothStepResult::kUnfinished);
  EXPECT_GT(other.state.time, 0.0);
  EXPECT_LT(other.state.time, 0.01);
  EXPECT_NEAR(other.state.x[3], std::cos(1e3 * other.state.time), 1e-4);
}

TEST(AdaptiveStep, settings_out_of_range_are_refused) {
  SampleCloth sample = oscillator();
  const auto refused = [&](AdaptiveStep::Settings settings) {
    EXPECT_THROW(AdaptiveStep(sample.system, 0.01, RungeKuttaMethod::kMidpoint, settings),
                 InputError);
  };
  refused({.tolerance = 0.0});
  refused({.time_scale = -1.0});
  refused({.most_tries = 0});
}

}  // namespace
}  // namespace haptic::cloth
