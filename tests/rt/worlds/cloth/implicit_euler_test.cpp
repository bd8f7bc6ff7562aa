#include "rt/worlds/cloth/implicit_euler.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lab/samples/cloth_samples.h"
#include "rt/worlds/cloth/backward_difference2.h"
#include "rt/worlds/cloth/critical_step.h"
#include "shared/error.h"
#include "tests/rt/worlds/cloth/dense_cloth.h"
#include "tests/rt/worlds/cloth/integrator_samples.h"
#include "tests/support/no_allocation.h"

namespace haptic::cloth {
namespace {

constexpr SolverSettings kTight{.most_iterations = 500, .tolerance = 1e-13};

/// (x, y)' = (-x, -k y), k = 1000, as the velocities of two particles of mass 1 and 1 / k that drag
/// of 1 kg/s slows down.
struct StiffPair {
  ClothSystem system;
  ClothState state;

  explicit StiffPair(double k) : system({1.0, 1.0 / k}, Springs{}, {}, drag()) {
    state.x.assign(6, 0.0);
    state.v = {1.0, 0.0, 0.0, 1.0, 0.0, 0.0};
  }
  static ClothSurroundings drag() {
    ClothSurroundings surroundings = weightless();
    surroundings.air.drag = 1.0;
    return surroundings;
  }
};

TEST(ImplicitEuler, the_stiff_example_in_one_step) {
  const double k = 1000.0;
  StiffPair implicit(k), explicit_one(k);
  ImplicitEuler backward(implicit.system, 1.0, kTight);
  ASSERT_EQ(backward.step(implicit.state), ClothStepResult::kOk);
  EXPECT_NEAR(implicit.state.v[0], 0.5, 1e-15);
  EXPECT_NEAR(implicit.state.v[3], 1.0 / 1001.0, 1e-15);
  RungeKutta forward(explicit_one.system, 1.0, RungeKuttaMethod::kEuler);
  ASSERT_EQ(forward.step(explicit_one.state), ClothStepResult::kOk);
  EXPECT_NEAR(explicit_one.state.v[3], -999.0, 1e-10);
  for (const double share : {0.999, 1.001}) {
    StiffPair pair(k);
    RungeKutta euler(pair.system, share * 2.0 / k, RungeKuttaMethod::kEuler);
    ASSERT_EQ(run(euler, pair.state, 2000), 2000);
    EXPECT_EQ(std::abs(pair.state.v[3]) <= 1.0, share < 1.0);
  }
  // Any step: towards 0 in one.
  StiffPair far(k);
  ImplicitEuler giant(far.system, 1e9, kTight);
  ASSERT_EQ(giant.step(far.state), ClothStepResult::kOk);
  EXPECT_LT(std::abs(far.state.v[0]), 1.1e-9);
}

/// One step by the formula, factored densely.
TEST(ImplicitEuler, a_step_solves_the_equation_of_the_text) {
  const double h = 0.02;
  SampleCloth cloth = square_cloth(5, 0.1, cloth_materials(100.0, 0.2));
  cloth.system.surroundings().air.drag = 0.01;
  disturb(cloth.state.x, 0.02, 1);
  disturb(cloth.state.v, 0.5, 2);
  const ParticleVectors x = cloth.state.x, v = cloth.state.v;
  ParticleVectors f(x.size());
  cloth.system.forces(x, v, 0.0, f);
  const Eigen::MatrixXd A = dense_matrix(cloth.system, x, {1.0, h, h * h});
  const Eigen::MatrixXd minus_K = dense_matrix(cloth.system, x, {0.0, 0.0, 1.0});
  const Eigen::VectorXd right = h * (as_vector(f) - h * minus_K * as_vector(v));
  const Eigen::VectorXd dv = A.ldlt().solve(right);
  ImplicitEuler euler(cloth.system, h, {.most_iterations = 200, .tolerance = 1e-10});
  ASSERT_EQ(euler.step(cloth.state), ClothStepResult::kOk);
  EXPECT_TRUE(euler.solution().converged);
  const Eigen::VectorXd found = as_vector(cloth.state.v) - as_vector(v);
  EXPECT_LT((found - dv).norm(), 1e-8 * dv.norm());
  EXPECT_LT((A * found - right).norm(), 1e-9 * right.norm());
  EXPECT_LT((as_vector(cloth.state.x) - as_vector(x) - h * as_vector(cloth.state.v)).norm(), 1e-14);
}

TEST(ImplicitEuler, energy_does_not_grow_at_fifty_times_the_explicit_limit) {
  for (const unsigned seed : {1u, 2u, 3u, 4u}) {
    SampleCloth cloth = square_cloth(10, 0.1, cloth_materials(200.0, 0.01), weightless());
    for (const std::uint32_t i : border_corners(cloth.mesh, GridBorder::kTop)) {
      cloth.system.constraints().pin(i, at(cloth.state.x, i));
    }
    const double h = 50.0 * verlet_step_limit(cloth.system, cloth.state.x);
    EXPECT_GT(h, 0.05);
    disturb(cloth.state.x, 0.03, seed);
    disturb(cloth.state.v, 0.3, seed + 100);
    SampleCloth other = cloth;
    ImplicitEuler euler(cloth.system, h, {.most_iterations = 500, .tolerance = 1e-10});
    double energy = cloth.system.energy(cloth.state);
    for (int k = 0; k < 100; ++k) {
      ASSERT_EQ(euler.step(cloth.state), ClothStepResult::kOk);
      const double now = cloth.system.energy(cloth.state);
      EXPECT_LE(now, energy) << k;
      energy = now;
    }
    // The same step explicitly ends in values that are not finite.
    VelocityVerlet verlet(other.system, h);
    EXPECT_LT(run(verlet, other.state, 300), 300);
  }
}

/// A flat cloth has no stiffness against gravity, so the first giant steps fall and overshoot what
/// one linearisation sees; then the cloth hangs still.
TEST(ImplicitEuler, a_cloth_that_falls_in_giant_steps_comes_to_rest) {
  SampleCloth cloth = square_cloth(10, 0.1, cloth_materials(200.0, 0.01));
  for (const std::uint32_t i : border_corners(cloth.mesh, GridBorder::kTop)) {
    cloth.system.constraints().pin(i, at(cloth.state.x, i));
  }
  const double h = 50.0 * verlet_step_limit(cloth.system, cloth.state.x);
  ImplicitEuler euler(cloth.system, h, {.most_iterations = 500, .tolerance = 1e-10});
  ASSERT_EQ(run(euler, cloth.state, 600), 600);
  ParticleVectors f(cloth.state.x.size());
  cloth.system.forces(cloth.state.x, cloth.state.v, 0.0, f);
  cloth.system.constraints().filter(f);
  EXPECT_LT(as_vector(f).cwiseAbs().maxCoeff(), 1e-4 * 9.81 * cloth.system.masses()[0]);
  EXPECT_LT(cloth.system.energy(cloth.state), -0.5);
}

template <class Integrator>
double order_on_oscillator() {
  const auto error = [](int steps) {
    SampleCloth sample = oscillator();
    Integrator integrator(sample.system, 2.5 / steps, kTight);
    EXPECT_EQ(run(integrator, sample.state, steps), steps);
    return sample.state.x[3] - std::cos(2.5);
  };
  return std::log2(std::abs(error(1000) / error(2000)));
}

TEST(ImplicitEuler, orders_of_the_implicit_methods) {
  EXPECT_NEAR(order_on_oscillator<ImplicitEuler>(), 1.0, 0.1);
  EXPECT_NEAR(order_on_oscillator<BackwardDifference2>(), 2.0, 0.1);
}

/// A pendulum of a stiff spring, non-linear. Undamped it keeps order 2. The gradient of a damper's
/// force by positions is left out of the matrix, as in the text, so with dampers that turn it falls
/// to 1.
TEST(ImplicitEuler, order_of_bdf2_where_forces_are_not_linear) {
  const auto order = [](double damping) {
    const auto end = [&](int steps) {
      ClothSystem system({1.0, 1.0}, one_spring(1.0, 50.0, damping), {}, {});
      system.constraints().pin(0, Vector3::Zero());
      ClothState state;
      state.x = {0, 0, 0, 1, 0, 0};
      state.v.assign(6, 0.0);
      BackwardDifference2 bdf2(system, 0.5 / steps, kTight);
      EXPECT_EQ(run(bdf2, state, steps), steps);
      return Vector3(at(state.x, 1));
    };
    const Vector3 exact = end(12800);
    return std::log2((end(200) - exact).norm() / (end(400) - exact).norm());
  };
  EXPECT_NEAR(order(0.0), 2.0, 0.1);
  EXPECT_NEAR(order(0.5), 1.0, 0.2);
}

TEST(ImplicitEuler, momentum_is_kept_to_the_tolerance_of_the_solver) {
  for (const bool second_order : {false, true}) {
    SampleCloth cloth = square_cloth(6, 0.1, cloth_materials(100.0, 0.05), weightless());
    disturb(cloth.state.x, 0.01, 3);
    disturb(cloth.state.v, 0.2, 4);
    const Vector3 before = momentum(cloth.system, cloth.state.v);
    ImplicitEuler euler(cloth.system, 5e-3, kTight);
    BackwardDifference2 bdf2(cloth.system, 5e-3, kTight);
    ClothIntegrator& integrator = second_order ? static_cast<ClothIntegrator&>(bdf2) : euler;
    ASSERT_EQ(run(integrator, cloth.state, 1000), 1000);
    EXPECT_LT((momentum(cloth.system, cloth.state.v) - before).norm(), 1e-10 * before.norm());
  }
}

TEST(ImplicitEuler, springs_are_explicit_up_to_the_threshold) {
  const double h = 1e-2, m = 0.5;
  for (const double threshold : {AdaptiveImex::kPublished, AdaptiveImex::kInPractice}) {
    for (const double offset : {-0.01, 0.01}) {
      const double kappa = threshold + offset;
      // Half of kappa by the spring, half by the damper.
      const double k = 0.5 * kappa * m / (h * h), damping = 0.25 * kappa * m / h;
      ClothSystem system({m, 4.0}, one_spring(1.0, k, damping), {}, weightless());
      AdaptiveImex imex(system, h, threshold, kTight);
      EXPECT_NEAR(imex.stiffness_number(0), kappa, 1e-14);
      ClothState state;
      state.x = {0, 0, 0, 1.1, 0, 0};
      state.v.assign(6, 0.0);
      ASSERT_EQ(imex.step(state), ClothStepResult::kOk);
      EXPECT_EQ(imex.implicit_count(), offset > 0.0 ? 1u : 0u);
    }
  }
}

TEST(ImplicitEuler, bend_springs_are_always_explicit) {
  for (const auto topology : {SpringTopology::kThreeKinds, SpringTopology::kChoiKo}) {
    SampleCloth cloth = square_cloth(5, 0.1, same_materials(1e4), weightless(), topology);
    AdaptiveImex imex(cloth.system, 1e-2);
    ASSERT_EQ(imex.step(cloth.state), ClothStepResult::kOk);
    const Springs& springs = cloth.system.springs().springs();
    EXPECT_EQ(imex.implicit_count(), springs.size() - springs.count(SpringKind::kBend) -
                                         springs.count(SpringKind::kInterlaced));
  }
}

/// With every spring explicit it is semi-implicit Euler, with every spring implicit backward Euler.
TEST(ImplicitEuler, the_ends_of_the_threshold_are_the_two_methods) {
  SampleCloth cloth = square_cloth(4, 0.1, cloth_materials(20.0, 0.01));
  disturb(cloth.state.x, 0.02, 3);
  ParticleVectors a(cloth.state.x.size());
  cloth.system.accelerations(cloth.state.x, cloth.state.v, 0.0, a);
  const ClothState start = cloth.state;
  AdaptiveImex all_explicit(cloth.system, 1e-3, 1e9, kTight);
  ASSERT_EQ(run(all_explicit, cloth.state, 1), 1);
  EXPECT_EQ(all_explicit.implicit_count(), 0u);
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_NEAR(cloth.state.v[k], 1e-3 * a[k], 1e-12 * std::abs(1e-3 * a[k]));
    EXPECT_NEAR(cloth.state.x[k], start.x[k] + 1e-6 * a[k], 1e-15);
  }
  SampleCloth structural = square_cloth(4, 0.1, cloth_materials(20.0, 0.01));
  Springs springs = structural.system.springs().springs();
  std::fill(springs.kind.begin(), springs.kind.end(), SpringKind::kShear);
  const std::vector<double> masses(structural.system.masses().begin(),
                                   structural.system.masses().end());
  ClothSystem system(masses, springs, {}, {});
  AdaptiveImex all_implicit(system, 1e-2, 0.0, kTight);
  ImplicitEuler euler(system, 1e-2, kTight);
  ClothState one = start, other = start;
  ASSERT_EQ(run(all_implicit, one, 20), 20);
  ASSERT_EQ(run(euler, other, 20), 20);
  EXPECT_EQ(all_implicit.implicit_count(), springs.size());
  EXPECT_EQ(one.x, other.x);
}

TEST(ImplicitEuler, constrained_particles_stay_where_they_may_be) {
  for (int method = 0; method < 3; ++method) {
    SampleCloth cloth = square_cloth(5, 0.1, cloth_materials(100.0, 0.05));
    ParticleConstraints& constraints = cloth.system.constraints();
    const Vector3 corner = at(cloth.state.x, 0), start = at(cloth.state.x, 24);
    const Vector3 in_plane = at(cloth.state.x, 12), n = Vector3(1.0, 2.0, 3.0).normalized();
    constraints.pin(0, corner);
    constraints.keep_in_plane(12, in_plane, n);
    constraints.follow(24, start, start);
    ImplicitEuler euler(cloth.system, 5e-3);
    AdaptiveImex imex(cloth.system, 5e-3);
    BackwardDifference2 bdf2(cloth.system, 5e-3);
    ClothIntegrator* integrators[] = {&euler, &imex, &bdf2};
    NoAllocation guard;
    for (int k = 1; k <= 300; ++k) {
      const Vector3 target = start + Vector3(0.0, 0.0, 1e-3 * k);
      constraints.set_target(24, target);
      ASSERT_EQ(integrators[method]->step(cloth.state), ClothStepResult::kOk);
      EXPECT_EQ(at(cloth.state.x, 0), corner);  // by no bit
      EXPECT_EQ(at(cloth.state.x, 24), target);
      EXPECT_LT(std::abs((at(cloth.state.x, 12) - in_plane).dot(n)), 1e-15);
    }
    EXPECT_GT((at(cloth.state.x, 12) - in_plane).norm(), 0.01);
  }
}

TEST(ImplicitEuler, two_runs_have_the_same_bits) {
  ParticleVectors ends[2];
  for (ParticleVectors& end : ends) {
    SampleCloth cloth = square_cloth(6, 0.1, cloth_materials(200.0, 0.05));
    cloth.system.constraints().pin(0, at(cloth.state.x, 0));
    ImplicitEuler euler(cloth.system, 0.02);
    ASSERT_EQ(run(euler, cloth.state, 100), 100);
    end = std::move(cloth.state.x);
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(ImplicitEuler, settings_out_of_range_are_refused) {
  SampleCloth sample = oscillator();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(ImplicitEuler(sample.system, 0.01, {.most_iterations = 0}), InputError);
  EXPECT_THROW(ImplicitEuler(sample.system, 0.01, {.tolerance = 0.0}), InputError);
  EXPECT_THROW(BackwardDifference2(sample.system, 0.01, {.tolerance = nan}), InputError);
  EXPECT_THROW(AdaptiveImex(sample.system, 0.01, -0.1), InputError);
  EXPECT_THROW(ImplicitEuler(sample.system, 0.0), InputError);
}

}  // namespace
}  // namespace haptic::cloth
