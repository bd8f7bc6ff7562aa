// Steps of the integrator whose contact forces are found by ContactSolver.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "lab/samples/random_energy.h"
#include "rt/contact/contact_solver.h"
#include "rt/dynamics/newmark_integrator.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

/// Half-spaces J q + gap >= 0 with springs of stiffness k.
struct Walls {
  std::vector<Eigen::VectorXd> rows;
  std::vector<double> gaps;
  double stiffness = 0.0, damping = 0.0;

  double distance(std::size_t i, std::span<const double> q) const {
    return gaps[i] + rows[i].dot(vector_of(q));
  }
  double energy(std::span<const double> q) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double e = std::min(0.0, distance(i, q));
      sum += 0.5 * stiffness * e * e;
    }
    return sum;
  }
};

enum class Weight { kFirst, kSpread, kAsTheWorldDoes };

/// One step against the walls. @returns the contact load
Eigen::VectorXd step(NewmarkIntegrator& body, const Walls& walls, ContactSolver& solver,
                     Weight choice) {
  const auto r = static_cast<Eigen::Index>(solver.unknowns());
  double weight =
      choice == Weight::kSpread ? NewmarkIntegrator::kSpread : NewmarkIntegrator::kImpulseFirst;
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(r);
  for (int pass = 0;; ++pass) {
    const auto system = body.prepare(view(none));
    solver.clear();
    solver.matrix() = Eigen::Map<const Eigen::MatrixXd>(system.matrix.data(), r, r) / weight;
    solver.load() = vector_of(system.load) / weight;
    for (std::size_t i = 0; i < walls.rows.size(); ++i) {
      const std::span<double> row = solver.add_normal(
          {walls.distance(i, body.state().q), walls.stiffness, walls.damping / body.dt()});
      std::copy(walls.rows[i].data(), walls.rows[i].data() + r, row.begin());
    }
    EXPECT_NE(solver.solve(), ContactSolver::Result::kNotFinite);
    const bool gains = choice == Weight::kAsTheWorldDoes && pass == 0 &&
                       body.excess_work(view(solver.step())) > 0.0;
    if (!gains) break;
    weight = NewmarkIntegrator::kSpread;
  }
  EXPECT_EQ(body.complete(view(solver.step()), weight), StepResult::kOk);
  return solver.contact_load();
}

double energy_of(const ReducedEnergy& energy, const NewmarkIntegrator& body, const Walls& walls) {
  return 0.5 * vector_of(body.state().qdot).squaredNorm() + energy.energy(body.state().q) +
         walls.energy(body.state().q);
}

/// Starts both bodies from the same random state. @returns its q
Eigen::VectorXd start_equal(NewmarkIntegrator& a, NewmarkIntegrator& b) {
  const auto r = static_cast<std::uint32_t>(a.state().q.size());
  const Eigen::VectorXd q = random_state(r, 1), v = random_state(r, 2),
                        none = Eigen::VectorXd::Zero(r);
  EXPECT_EQ(a.set_state(view(q), view(v), view(none)), StepResult::kOk);
  EXPECT_EQ(b.set_state(view(q), view(v), view(none)), StepResult::kOk);
  return q;
}

// A contact force f that acts as an impulse at the start of the step is a push by dt f.
TEST(NewmarkIntegratorContact, a_push_is_an_impulse_at_the_start_of_the_step) {
  constexpr std::uint32_t r = 5;
  constexpr double kStep = 1e-3;
  const StrainLikeCoefficients coefficients(r);
  const ReducedEnergy energy = coefficients.energy();
  NewmarkIntegrator pushed(energy, kStep), pressed(energy, kStep);
  start_equal(pushed, pressed);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(r), f = random_state(r, 4);
  const auto solve = [&](NewmarkIntegrator& body, const Eigen::VectorXd& force) {
    const auto system = body.prepare(view(none));
    const Eigen::MatrixXd A = Eigen::Map<const Eigen::MatrixXd>(system.matrix.data(), r, r);
    const Eigen::VectorXd dq =
        A.ldlt().solve(vector_of(system.load) + NewmarkIntegrator::kImpulseFirst * force);
    EXPECT_EQ(body.complete(view(dq), NewmarkIntegrator::kImpulseFirst), StepResult::kOk);
  };
  const Eigen::VectorXd before = vector_of(pushed.state().qdot), impulse = kStep * f;
  ASSERT_TRUE(pushed.push(view(impulse)));
  EXPECT_LE((vector_of(pushed.state().qdot) - before - impulse).norm(), 1e-15 * before.norm());
  solve(pushed, none);
  solve(pressed, f);
  const auto difference = [](std::span<const double> a, std::span<const double> b) {
    return (vector_of(a) - vector_of(b)).norm() / vector_of(b).norm();
  };
  EXPECT_LE(difference(pushed.state().q, pressed.state().q), 1e-12);
  EXPECT_LE(difference(pushed.state().qdot, pressed.state().qdot), 1e-10);
}

// Mass damping takes alpha dt of the pushed velocity in the step; stiffness damping does so once a
// step has shown the stiffness, and forgets it with a reset.
TEST(NewmarkIntegratorContact, a_push_is_damped_and_a_reset_forgets_the_stiffness) {
  constexpr std::uint32_t r = 4;
  const StrainLikeCoefficients coefficients(r);
  const ReducedEnergy energy = coefficients.energy();
  NewmarkIntegrator fresh(energy, 1e-3, {.alpha = 8.0, .beta = 1e-4}),
      used(energy, 1e-3, {.alpha = 8.0, .beta = 1e-4});
  start_equal(fresh, used);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(r), impulse = random_state(r, 6);
  fresh.reset();
  EXPECT_EQ(used.step(view(none)), StepResult::kOk);
  const Eigen::VectorXd calm = vector_of(used.state().qddot);
  ASSERT_TRUE(used.push(view(impulse)));
  EXPECT_GT((vector_of(used.state().qddot) - calm + 8.0 * impulse).norm(), 1e-6);
  used.reset();
  for (NewmarkIntegrator* body : {&fresh, &used}) {
    ASSERT_TRUE(body->push(view(impulse)));
    EXPECT_LE((vector_of(body->state().qddot) + 8.0 * impulse).norm(), 1e-15 * impulse.norm());
  }
}

TEST(NewmarkIntegratorContact, without_contact_it_is_the_plain_step) {
  const StrainLikeCoefficients coefficients(5);
  const ReducedEnergy energy = coefficients.energy();
  NewmarkIntegrator plain(energy, 1e-3, {.alpha = 0.3, .beta = 1e-4}),
      prepared(energy, 1e-3, {.alpha = 0.3, .beta = 1e-4});
  const Eigen::VectorXd q = start_equal(plain, prepared), none = Eigen::VectorXd::Zero(5);
  ContactSolver solver(5, 1, false);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(plain.step(view(none)), StepResult::kOk);
    step(prepared, {}, solver, Weight::kAsTheWorldDoes);
  }
  // Two ways to solve the same systems: rounding only, for 200 steps.
  EXPECT_LE((vector_of(plain.state().q) - vector_of(prepared.state().q)).norm(), 1e-10 * q.norm());
  EXPECT_LE((vector_of(plain.state().qdot) - vector_of(prepared.state().qdot)).norm(),
            1e-10 * q.norm());
}

TEST(NewmarkIntegratorContact, a_stiff_wall_stops_a_mass_or_throws_it_back) {
  // Free mass 1 that flies at a wall with 1 m/s: it arrives within the first step.
  const ReducedEnergy free = linear_energy(Eigen::MatrixXd::Constant(1, 1, 1e-9));
  Walls wall{{Eigen::VectorXd::Ones(1)}, {0.5e-3}, 1e12, 0.0};
  // It gives way by 4 / (k dt^2) = 4e-6 of the motion.
  for (const Weight weight : {Weight::kFirst, Weight::kSpread}) {
    NewmarkIntegrator body(free, 1e-3);
    const Eigen::VectorXd q = Eigen::VectorXd::Zero(1), v = Eigen::VectorXd::Constant(1, -1.0);
    ASSERT_EQ(body.set_state(view(q), view(v), view(q)), StepResult::kOk);
    ContactSolver solver(1, 1, false);
    step(body, wall, solver, weight);
    // The step ends at the wall. An impulse at its start leaves the mean velocity, -0.5 m/s; a
    // spread one 2 (-0.5) + 1 = 0.
    EXPECT_NEAR(body.state().q[0], -0.5e-3, 1e-9);
    EXPECT_NEAR(body.state().qdot[0], weight == Weight::kFirst ? -0.5 : 0.0, 1e-5);
    step(body, wall, solver, weight);
    EXPECT_NEAR(body.state().qdot[0], 0.0, 1e-5);
    // Already at the wall with 1 m/s: stopped, or thrown back with the same speed.
    const Eigen::VectorXd at = Eigen::VectorXd::Constant(1, -0.5e-3);
    ASSERT_EQ(body.set_state(view(at), view(v), view(q)), StepResult::kOk);
    step(body, wall, solver, weight);
    EXPECT_NEAR(body.state().qdot[0], weight == Weight::kFirst ? 0.0 : 1.0, 1e-5);
  }
}

/// Largest gain of energy in one step over random impacts, relative to the energy of the run.
double largest_gain(Weight weight, int impacts, double* least_loss) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  double worst = 0.0;
  for (int run = 0; run < impacts; ++run) {
    const int r = 1 + run % 6;
    const Eigen::MatrixXd half =
        Eigen::MatrixXd::NullaryExpr(r, r, [&] { return uniform(random); });
    // Frequencies up to 1000 rad/s against steps of 0.1 ms to 10 ms.
    const ReducedEnergy energy =
        linear_energy(std::pow(10.0, 3.0 + 3.0 * uniform(random)) * (half * half.transpose()));
    const double dt = std::pow(10.0, -3.0 + uniform(random));
    NewmarkIntegrator body(energy, dt, {.alpha = std::max(0.0, uniform(random)), .beta = 0.0});
    Walls walls;
    walls.stiffness = std::pow(10.0, 4.0 + 4.0 * uniform(random));
    walls.damping = std::max(0.0, 10.0 * uniform(random));
    for (int i = 0; i < 4; ++i) {
      walls.rows.push_back(Eigen::VectorXd::NullaryExpr(r, [&] { return uniform(random); }));
      walls.gaps.push_back(0.02 * (1.0 + uniform(random)));
    }
    const Eigen::VectorXd q = Eigen::VectorXd::Zero(r), none = q;
    const Eigen::VectorXd v = Eigen::VectorXd::NullaryExpr(r, [&] { return uniform(random); });
    EXPECT_EQ(body.set_state(view(q), view(v), view(none)), StepResult::kOk);
    ContactSolver solver(static_cast<std::uint32_t>(r), 4, false);
    const double start = energy_of(energy, body, walls);
    double before = start;
    for (int i = 0; i < 50; ++i) {
      step(body, walls, solver, weight);
      const double now = energy_of(energy, body, walls);
      worst = std::max(worst, (now - before) / start);
      before = now;
    }
    if (least_loss) *least_loss = std::min(*least_loss, 1.0 - before / start);
  }
  return worst;
}

TEST(NewmarkIntegratorContact, contact_never_adds_energy) {
  // Rounding: 1e-16 of terms up to 4/dt^2 q^2, which exceed the energy by up to 1e4.
  EXPECT_LE(largest_gain(Weight::kAsTheWorldDoes, 2000, nullptr), 1e-10);
  EXPECT_LE(largest_gain(Weight::kSpread, 2000, nullptr), 1e-10);
  // The check of the excess work is needed: without it, some steps gain.
  EXPECT_GT(largest_gain(Weight::kFirst, 2000, nullptr), 1e-4);
}

TEST(NewmarkIntegratorContact, a_pressed_mass_comes_to_rest_at_the_balance) {
  // Mass 1 on a spring of 100 N/m, pulled towards a wall 0.1 m short of its rest position.
  for (const double k : {1e2, 1e5, 1e9}) {
    const ReducedEnergy energy = linear_energy(Eigen::MatrixXd::Constant(1, 1, 100.0));
    NewmarkIntegrator body(energy, 1e-3);
    const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 0.11), none = Eigen::VectorXd::Zero(1);
    ASSERT_EQ(body.set_state(view(q), view(none), view(none)), StepResult::kOk);
    Walls wall{{Eigen::VectorXd::Ones(1)}, {-0.1}, k, 2.0};
    ContactSolver solver(1, 1, false);
    for (int i = 0; i < 60'000; ++i) step(body, wall, solver, Weight::kAsTheWorldDoes);
    // 100 q = k (0.1 - q)
    EXPECT_NEAR(body.state().q[0], 0.1 * k / (100.0 + k), 1e-7) << k;
    EXPECT_NEAR(body.state().qdot[0], 0.0, 1e-6) << k;
  }
}

TEST(NewmarkIntegratorContact, mass_damping_and_limit_of_acceleration_are_those_of_the_plain_step) {
  const Eigen::MatrixXd half = Eigen::MatrixXd::Random(4, 4);
  const Eigen::MatrixXd M = half * half.transpose() + Eigen::MatrixXd::Identity(4, 4);
  const StrainLikeCoefficients coefficients(4);
  const ReducedEnergy energy = coefficients.energy();
  ReducedSystem system{&energy, {.alpha = 0.5, .beta = 1e-3}};
  system.mass = {M.data(), 16};
  NewmarkIntegrator plain(system, 1e-3, {}, {.acceleration = 0.5}),
      prepared(system, 1e-3, {}, {.acceleration = 0.5});
  const Eigen::VectorXd q = start_equal(plain, prepared), none = Eigen::VectorXd::Zero(4);
  ContactSolver solver(4, 1, false);
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(plain.step(view(none)), StepResult::kOk);
    step(prepared, {}, solver, Weight::kAsTheWorldDoes);
  }
  EXPECT_LE((vector_of(plain.state().q) - vector_of(prepared.state().q)).norm(), 1e-10 * q.norm());
}

TEST(NewmarkIntegratorContact, no_step_allocates) {
  const StrainLikeCoefficients coefficients(5);
  const ReducedEnergy energy = coefficients.energy();
  NewmarkIntegrator body(energy, 1e-3);
  const Eigen::VectorXd change = Eigen::VectorXd::Constant(5, 1e-4);
  NoAllocation guard;
  body.prepare(view(change));
  EXPECT_TRUE(std::isfinite(body.excess_work(view(change))));
  EXPECT_EQ(body.complete(view(change), NewmarkIntegrator::kImpulseFirst), StepResult::kOk);
}

}  // namespace
}  // namespace haptic
