#include "rt/dynamics/modal_oscillators.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lab/samples/random_energy.h"
#include "rt/dynamics/newmark_integrator.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

Eigen::MatrixXd stiffness(Eigen::Index r) {
  const Eigen::MatrixXd half = Eigen::MatrixXd::Random(r, r);
  return 30.0 * half * half.transpose() + Eigen::MatrixXd::Identity(r, r);
}

/// State after `steps` steps of `dt` under a force that does not change.
Eigen::VectorXd state_after(ModalOscillators& integrator, int steps, const Eigen::VectorXd& f) {
  for (int i = 0; i < steps; ++i) EXPECT_EQ(integrator.step(view(f)), StepResult::kOk);
  Eigen::VectorXd both(2 * f.size());
  both << vector_of(integrator.state().q), vector_of(integrator.state().qdot);
  return both;
}

// Exact, so that the length of the steps does not matter; for every kind of damping and step.
TEST(ModalOscillators, one_long_step_equals_many_short_ones) {
  const ReducedEnergy energy = linear_energy(stiffness(6));
  const Eigen::VectorXd q = random_state(6, 1), v = random_state(6, 2), f = random_state(6, 3, 5.0);
  for (const RayleighDamping& damping :
       {RayleighDamping{0.0, 0.0}, {0.1, 0.001}, {3.0, 0.0}, {50.0, 0.0}, {0.0, 5.0}, {1e4, 0.0}}) {
    for (double dt : {1e-4, 0.01, 0.3, 10.0}) {
      ModalOscillators coarse(energy, dt, damping), fine(energy, dt / 50.0, damping);
      ASSERT_EQ(coarse.set_state(view(q), view(v), view(f)), StepResult::kOk);
      ASSERT_EQ(fine.set_state(view(q), view(v), view(f)), StepResult::kOk);
      const Eigen::VectorXd a = state_after(coarse, 1, f), b = state_after(fine, 50, f);
      // Fifty roundings of numbers up to the largest frequency (about 15) times |q|.
      EXPECT_LE((a - b).norm(), 1e-12 * (1.0 + b.norm()))
          << damping.alpha << " " << damping.beta << " " << dt;
    }
  }
}

TEST(ModalOscillators, keeps_the_energy_at_any_step) {
  const Eigen::MatrixXd P = stiffness(6);
  const ReducedEnergy energy = linear_energy(P);
  const Eigen::VectorXd q = random_state(6, 1), none = Eigen::VectorXd::Zero(6);
  for (double dt : {1e-3, 0.5, 7.0}) {  // far beyond 2 / w_max, too
    ModalOscillators integrator(energy, dt);
    ASSERT_EQ(integrator.set_state(view(q), view(none), view(none)), StepResult::kOk);
    const double start = energy_at(energy, q);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(integrator.step(view(none)), StepResult::kOk);
    const Eigen::VectorXd now = vector_of(integrator.state().q),
                          rate = vector_of(integrator.state().qdot);
    EXPECT_NEAR((energy_at(energy, now) + 0.5 * rate.squaredNorm()) / start, 1.0, 1e-10) << dt;
    // The state's acceleration satisfies the equation of motion.
    EXPECT_LE((vector_of(integrator.state().qddot) + P * now).norm(), 1e-11 * P.norm());
  }
}

TEST(ModalOscillators, newmark_converges_to_it_with_second_order) {
  const ReducedEnergy energy = linear_energy(stiffness(5));
  const RayleighDamping damping{0.4, 0.003};
  const Eigen::VectorXd f = random_state(5, 2, 10.0);
  ModalOscillators exact(energy, 1.0, damping);
  const Eigen::VectorXd reference = state_after(exact, 1, f).head(5);
  const auto error = [&](int steps) {
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(5);
    NewmarkIntegrator newmark(energy, 1.0 / steps, damping);
    EXPECT_EQ(newmark.set_state(view(none), view(none), view(f)), StepResult::kOk);
    for (int i = 0; i < steps; ++i) EXPECT_EQ(newmark.step(view(f)), StepResult::kOk);
    return (vector_of(newmark.state().q) - reference).norm();
  };
  EXPECT_NEAR(error(500) / error(1000), 4.0, 0.1);
}

// A direction without stiffness (a free body's) and one that K(0) pushes away.
TEST(ModalOscillators, rigid_and_unstable_directions_follow_their_closed_forms) {
  const Eigen::MatrixXd P = Eigen::Vector3d(0.0, -4.0, 9.0).asDiagonal();
  const ReducedEnergy energy = linear_energy(P);
  const Eigen::VectorXd q = Eigen::Vector3d(0.3, 0.2, -0.1), none = Eigen::VectorXd::Zero(3);
  const Eigen::VectorXd v = Eigen::Vector3d(1.0, 0.5, 2.0), f = Eigen::Vector3d(2.0, 0.0, 0.0);
  for (double dt : {1e-3, 2.0}) {
    ModalOscillators integrator(energy, dt);
    ASSERT_EQ(integrator.set_state(view(q), view(v), view(f)), StepResult::kOk);
    ASSERT_EQ(integrator.step(view(f)), StepResult::kOk);
    const ReducedState s = integrator.state();
    EXPECT_NEAR(s.q[0], 0.3 + dt + dt * dt, 1e-14 * (1.0 + dt * dt));
    EXPECT_NEAR(s.q[1], 0.2 * std::cosh(2.0 * dt) + 0.25 * std::sinh(2.0 * dt), 1e-13 * 60.0);
    EXPECT_NEAR(s.q[2], -0.1 * std::cos(3.0 * dt) + 2.0 / 3.0 * std::sin(3.0 * dt), 1e-14);
  }
}

TEST(ModalOscillators, scales_act_like_another_energy) {
  const Eigen::MatrixXd P = stiffness(4);
  const ReducedEnergy energy = linear_energy(P), stiffer = linear_energy(P * (2.5 / 1.6));
  ModalOscillators scaled(energy, 0.02, {0.5, 0.004});
  ModalOscillators fresh(stiffer, 0.02, {0.5 * 3.0, 0.004 * 3.0});
  scaled.set_scales(2.5, 1.6, 3.0);
  const Eigen::VectorXd f = random_state(4, 2), f_over_density = f / 1.6;
  const Eigen::VectorXd a = state_after(scaled, 100, f),
                        b = state_after(fresh, 100, f_over_density);
  EXPECT_LE((a - b).norm(), 1e-12 * b.norm());
}

TEST(ModalOscillators, step_does_not_allocate_and_guards) {
  const ReducedEnergy energy = StrainLikeCoefficients(12, 0.3).energy();
  ModalOscillators integrator(energy, 1e-3, {0.1, 1e-4}, {.norm = 1.0});
  const Eigen::VectorXd f = random_state(12, 2);
  Eigen::VectorXd wild = f, large = Eigen::VectorXd::Constant(12, 1e9);
  wild(3) = std::nan("");
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(12);
  StepResult good, bad, grown, set;
  {
    NoAllocation guard;
    integrator.set_scales(2.0, 1.0, 1.0);
    good = integrator.step(view(f));
    bad = integrator.step(view(wild));
    grown = integrator.step(view(large));
    set = integrator.set_state(view(none), view(f), view(f));
    integrator.reset();
  }
  EXPECT_EQ(good, StepResult::kOk);
  EXPECT_EQ(bad, StepResult::kDiverged);
  EXPECT_EQ(grown, StepResult::kGrown);
  EXPECT_EQ(set, StepResult::kOk);
}

}  // namespace
}  // namespace haptic
