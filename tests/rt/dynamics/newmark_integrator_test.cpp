#include "rt/dynamics/newmark_integrator.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <deque>
#include <limits>
#include <numbers>

#include "lab/samples/random_energy.h"
#include "rt/dynamics/central_differences.h"
#include "rt/dynamics/truncation.h"
#include "shared/error.h"
#include "tests/support/no_allocation.h"

namespace haptic {
namespace {

double total_energy(const ReducedEnergy& energy, const ReducedState& state) {
  return 0.5 * vector_of(state.qdot).squaredNorm() + energy.energy(state.q);
}

/// Duffing oscillator q'' + q + 2 q^3 = 0.
ReducedEnergy duffing() {
  const double one = 1.0, zero = 0.0, two = 2.0;
  return {1, {&one, 1}, {&zero, 1}, {&two, 1}};
}

TEST(NewmarkIntegrator, linear_energy_is_conserved) {
  const Eigen::MatrixXd half = Eigen::MatrixXd::Random(6, 6);
  const ReducedEnergy energy =
      linear_energy(half * half.transpose() + Eigen::MatrixXd::Identity(6, 6));
  const double w_min = 1.0;
  // 20 of the slowest periods at 30 steps a period.
  const double period = 2.0 * std::numbers::pi / w_min;
  NewmarkIntegrator integrator(energy, period / 30.0);
  const Eigen::VectorXd q = random_state(6, 1), v = random_state(6, 2),
                        none = Eigen::VectorXd::Zero(6);
  ASSERT_EQ(integrator.set_state(view(q), view(v), view(none)), StepResult::kOk);
  const double start = total_energy(energy, integrator.state());
  for (int i = 0; i < 600; ++i) {
    ASSERT_EQ(integrator.step(view(none)), StepResult::kOk);
    ASSERT_NEAR(total_energy(energy, integrator.state()) / start, 1.0, 1e-10);
  }
}

constexpr double kDuffingEnd = 4.0;

/// (q, q')(T) of the Duffing oscillator from q = 1, q' = 0 with `steps` Newmark steps.
Eigen::Vector2d duffing_by_newmark(int steps, std::uint32_t iterations) {
  const ReducedEnergy energy = duffing();
  const double one = 1.0, zero = 0.0;
  NewmarkIntegrator integrator(energy, kDuffingEnd / steps, {}, {iterations, 0.0});
  EXPECT_EQ(integrator.set_state({&one, 1}, {&zero, 1}, {&zero, 1}), StepResult::kOk);
  for (int i = 0; i < steps; ++i) EXPECT_EQ(integrator.step({&zero, 1}), StepResult::kOk);
  return {integrator.state().q[0], integrator.state().qdot[0]};
}

/// The same by the classical Runge-Kutta method with 20,000 steps: exact to about 1e-14.
Eigen::Vector2d duffing_reference() {
  const auto slope = [](const Eigen::Vector2d& y) {
    return Eigen::Vector2d(y(1), -y(0) - 2.0 * y(0) * y(0) * y(0));
  };
  Eigen::Vector2d y(1.0, 0.0);
  constexpr int kSteps = 20000;
  const double h = kDuffingEnd / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const Eigen::Vector2d k1 = slope(y), k2 = slope(y + h / 2.0 * k1), k3 = slope(y + h / 2.0 * k2),
                          k4 = slope(y + h * k3);
    y += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
  }
  return y;
}

TEST(NewmarkIntegrator, second_order_on_duffing) {
  const Eigen::Vector2d exact = duffing_reference();
  for (std::uint32_t iterations : {1u, 2u, 4u}) {
    const double coarse = (duffing_by_newmark(400, iterations) - exact).norm();
    const double fine = (duffing_by_newmark(800, iterations) - exact).norm();
    EXPECT_NEAR(coarse / fine, 4.0, 0.2) << iterations << " iterations";
  }
}

TEST(NewmarkIntegrator, damped_unforced_energy_never_increases) {
  const ReducedEnergy energy = StrainLikeCoefficients(6, 0.3).energy();
  const Eigen::VectorXd q = random_state(6, 3, 0.3), none = Eigen::VectorXd::Zero(6);
  const double w = std::sqrt(Response(energy, none).stiffness.diagonal().maxCoeff());
  // 129 steps a period of the fast motion.
  NewmarkIntegrator integrator(energy, 2.0 * std::numbers::pi / w / 129.0, {0.02 * w, 0.02 / w});
  ASSERT_EQ(integrator.set_state(view(q), view(none), view(none)), StepResult::kOk);
  const double start = total_energy(energy, integrator.state());
  double before = start;
  for (int i = 0; i < 4000; ++i) {
    ASSERT_EQ(integrator.step(view(none)), StepResult::kOk);
    const double now = total_energy(energy, integrator.state());
    ASSERT_LE(now, before * (1.0 + 1e-14)) << "step " << i;
    before = now;
  }
  EXPECT_LT(before, 0.01 * start);
}

// E -> g E with alpha sqrt(g), beta/sqrt(g), g f, dt/sqrt(g): the sequence of q stays.
TEST(NewmarkIntegrator, time_scaling) {
  const StrainLikeCoefficients base(5, 0.3);
  for (double g : {4.0, 3.7}) {
    StrainLikeCoefficients scaled = base;
    for (auto* values : {&scaled.quadratic, &scaled.cubic, &scaled.quartic}) {
      for (double& value : *values) value *= g;
    }
    const ReducedEnergy energy = base.energy(), scaled_energy = scaled.energy();
    NewmarkIntegrator slow(energy, 0.02, {0.3, 0.01});
    NewmarkIntegrator fast(scaled_energy, 0.02 / std::sqrt(g),
                           {0.3 * std::sqrt(g), 0.01 / std::sqrt(g)});
    for (std::uint32_t i = 0; i < 500; ++i) {
      const Eigen::VectorXd f = random_state(5, i), gf = g * f;
      ASSERT_EQ(slow.step(view(f)), StepResult::kOk);
      ASSERT_EQ(fast.step(view(gf)), StepResult::kOk);
    }
    const Eigen::VectorXd q = vector_of(slow.state().q);
    // A power of four only moves exponents.
    EXPECT_LE((vector_of(fast.state().q) - q).norm(), (g == 4.0 ? 0.0 : 1e-10) * q.norm());
  }
}

TEST(NewmarkIntegrator, step_does_not_allocate) {
  for (std::uint32_t r : {1u, 12u, 30u, 33u, 40u, kMaxReducedDimension}) {
    const ReducedEnergy energy = RandomCoefficients(r).energy();
    NewmarkIntegrator integrator(energy, 1e-3, {0.1, 1e-4}, {2, 0.0});
    const Eigen::VectorXd f = random_state(r, 4);
    StepResult result = StepResult::kDiverged;
    {
      NoAllocation guard;
      for (int i = 0; i < 10; ++i) result = integrator.step(view(f));
      integrator.reset();
      if (result == StepResult::kOk) result = integrator.set_state(view(f), view(f), view(f));
    }
    EXPECT_EQ(result, StepResult::kOk) << "r = " << r;
  }
}

TEST(NewmarkIntegrator, indefinite_system_is_solved_by_ldlt) {
  // dt = 2 makes a1 = 1: A = I + P has eigenvalues of both signs.
  Eigen::MatrixXd P(3, 3);
  P << 4.0, 1.0, 0.0, 1.0, -6.0, 0.5, 0.0, 0.5, 2.0;
  const ReducedEnergy energy = linear_energy(P);
  NewmarkIntegrator integrator(energy, 2.0);
  const Eigen::VectorXd f = random_state(3, 1);
  StepResult result;
  {
    NoAllocation guard;
    result = integrator.step(view(f));
  }
  ASSERT_EQ(result, StepResult::kOk);
  const Eigen::VectorXd expected = (P + Eigen::MatrixXd::Identity(3, 3)).lu().solve(f);
  EXPECT_LE((vector_of(integrator.state().q) - expected).norm(), 1e-13 * expected.norm());
}

TEST(NewmarkIntegrator, indefinite_system_keeps_the_last_good_state) {
  // A = I + P = [0 1; 1 0]: no pivot on the diagonal; and A = 0: singular.
  Eigen::MatrixXd saddle(2, 2), singular(2, 2);
  saddle << -1.0, 1.0, 1.0, -1.0;
  singular << -1.0, 0.0, 0.0, -1.0;
  for (const Eigen::MatrixXd& P : {saddle, singular}) {
    const ReducedEnergy energy = linear_energy(P);
    NewmarkIntegrator integrator(energy, 2.0);
    const Eigen::VectorXd q = random_state(2, 1), v = random_state(2, 2), f = random_state(2, 3);
    ASSERT_EQ(integrator.set_state(view(q), view(v), view(f)), StepResult::kOk);
    const Eigen::VectorXd a = vector_of(integrator.state().qddot);
    EXPECT_EQ(integrator.step(view(f)), StepResult::kDiverged);
    EXPECT_EQ(vector_of(integrator.state().q), q);
    EXPECT_EQ(vector_of(integrator.state().qdot), v);
    EXPECT_EQ(vector_of(integrator.state().qddot), a);
  }
}

/// Outcome of the first step from rest under a force.
struct Blow {
  double energy, work, residual;  // residual over the forces in it
};

Blow blow(NewmarkIntegrator& body, const ReducedEnergy& energy, const Eigen::VectorXd& f) {
  Blow result{INFINITY, 0.0, INFINITY};
  {
    NoAllocation guard;
    if (body.step(view(f)) != StepResult::kOk) return result;
  }
  const Eigen::VectorXd q = vector_of(body.state().q), a = vector_of(body.state().qddot);
  const Eigen::VectorXd R = Response(energy, q).force;
  // The force at the start of the step is zero: the mean of both ends does the work.
  return {total_energy(energy, body.state()), 0.5 * f.dot(q),
          (a + R - f).norm() / (a.norm() + R.norm() + f.norm())};
}

// A step far beyond the linear range: the linearised body would go 60 times as far as the cubic
// spring lets it, and a plain Newton iteration takes back a third of that only. Without the line
// search, the body has 11,000 times the work after three iterations, and 25 times after eight.
TEST(NewmarkIntegrator, line_search_limits_a_step_far_beyond_the_linear_range) {
  const ReducedEnergy energy = duffing();
  const Eigen::VectorXd f = Eigen::VectorXd::Constant(1, 1000.0);
  for (const std::uint32_t iterations : {2u, 3u, 8u}) {
    NewmarkIntegrator body(energy, 2.0, {}, {iterations, 0.0});
    const Blow result = blow(body, energy, f);
    EXPECT_GT(body.backtracks(), 0u);
    // The converged step has 2.0 of the work: f is not linear in q.
    EXPECT_LE(result.energy, 3.0 * result.work) << iterations;
    if (iterations == 8) {
      EXPECT_LE(result.residual, 1e-9);
    }
  }
}

TEST(NewmarkIntegrator, line_search_converges_for_every_term_of_the_equation) {
  constexpr std::uint32_t kR = 6;
  const ReducedEnergy energy = StrainLikeCoefficients(kR, 2.0).energy();
  const Eigen::MatrixXd half = Eigen::MatrixXd::Random(kR, kR);
  const Eigen::MatrixXd M = half * half.transpose() + Eigen::MatrixXd::Identity(kR, kR);
  const std::vector<double> linear(distinct_count(kR, 2), 0.0),
      mixed(kR * distinct_count(kR, 2), 0.0);
  std::vector<double> quadratic(distinct_count(distinct_count(kR, 2), 2), 0.0);
  std::size_t at = 0;  // the diagonal of the upper triangle
  for (std::size_t i = 0, pairs = distinct_count(kR, 2); i < pairs; at += pairs - i, ++i) {
    quadratic[at] = 0.1;
  }
  const ViscousDamping viscosity(kR, linear, mixed, quadratic);
  const std::span<const double> mass(M.data(), kR * kR);
  std::uint64_t searched = 0;
  for (const RayleighDamping damping : {RayleighDamping{}, RayleighDamping{0.3, 0.005}}) {
    for (const bool viscous : {false, true}) {
      for (const bool heavy : {false, true}) {
        const ReducedSystem system{.energy = &energy,
                                   .damping = damping,
                                   .viscosity = viscous ? &viscosity : nullptr,
                                   .mass = heavy ? mass : std::span<const double>()};
        NewmarkIntegrator body(system, 1.0, {100, 0.0});
        const Eigen::VectorXd f = random_state(kR, 5, 200.0), none = Eigen::VectorXd::Zero(kR);
        for (int i = 0; i < 20; ++i) {
          const Eigen::VectorXd load = i < 4 ? f : none;
          StepResult result = StepResult::kDiverged;
          {
            NoAllocation guard;
            result = body.step(view(load));
          }
          ASSERT_EQ(result, StepResult::kOk) << i;
          const Eigen::VectorXd q = vector_of(body.state().q), v = vector_of(body.state().qdot),
                                a = vector_of(body.state().qddot);
          const Response now(energy, q);
          Eigen::VectorXd inertia = a + damping.alpha * v;
          if (heavy) inertia = (M * inertia).eval();
          Eigen::VectorXd residual = inertia + now.force + damping.beta * now.stiffness * v - load;
          if (viscous) {
            Eigen::MatrixXd G(kR, kR);
            ViscousDamping::Workspace workspace(kR);
            viscosity.evaluate(view(q), view(G), workspace);
            residual += G * v;
          }
          // The derivative of the damping that A omits leaves a linear rate, which slows down with
          // beta and the strain rate; the solves themselves are exact to rounding.
          EXPECT_LE(residual.norm(), 1e-6 * (inertia.norm() + now.force.norm() + load.norm()))
              << i << " viscous " << viscous << " heavy " << heavy << " beta " << damping.beta;
        }
        searched += body.backtracks();
      }
    }
  }
  EXPECT_GT(searched, 0u);
}

// In the range for which the plain iteration is made, the line search changes no bit: it accepts
// every full step.
TEST(NewmarkIntegrator, line_search_leaves_moderate_steps_alone) {
  const ReducedEnergy energy = StrainLikeCoefficients(6, 0.3).energy();
  const double w =
      std::sqrt(Response(energy, Eigen::VectorXd::Zero(6)).stiffness.diagonal().maxCoeff());
  NewmarkIntegrator body(energy, 2.0 * std::numbers::pi / w / 60.0, {0.02 * w, 0.02 / w}, {4, 0.0});
  const Eigen::VectorXd q = random_state(6, 3, 0.3), none = Eigen::VectorXd::Zero(6);
  ASSERT_EQ(body.set_state(view(q), view(none), view(none)), StepResult::kOk);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(body.step(view(none)), StepResult::kOk);
  EXPECT_EQ(body.backtracks(), 0u);
}

TEST(NewmarkIntegrator, not_finite_is_a_fault) {
  const ReducedEnergy energy = StrainLikeCoefficients(4).energy();
  const Eigen::VectorXd f = random_state(4, 3);
  NewmarkIntegrator integrator(energy, 1e-2, {0.1, 1e-3});
  ASSERT_EQ(integrator.step(view(f)), StepResult::kOk);
  const Eigen::VectorXd q = vector_of(integrator.state().q), v = vector_of(integrator.state().qdot);
  for (double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        1e308}) {  // 1e308 overflows on the way
    Eigen::VectorXd wild = f;
    wild(2) = bad;
    if (bad == 1e308) wild.setConstant(bad);
    EXPECT_EQ(integrator.step(view(wild)), StepResult::kDiverged) << bad;
    EXPECT_EQ(vector_of(integrator.state().q), q);
    EXPECT_EQ(vector_of(integrator.state().qdot), v);
  }
  // The fault is not sticky: the state is good.
  EXPECT_EQ(integrator.step(view(f)), StepResult::kOk);
  // The same with a line search, which must not go back to the start and call it a step.
  NewmarkIntegrator searched(energy, 1e-2, {0.1, 1e-3}, {3, 0.0});
  for (double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e308}) {
    const Eigen::VectorXd wild = Eigen::VectorXd::Constant(4, bad);
    EXPECT_EQ(searched.step(view(wild)), StepResult::kDiverged) << bad;
    EXPECT_EQ(vector_of(searched.state().q).norm(), 0.0);
  }

  Eigen::VectorXd nan = q;
  nan(0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(integrator.set_state(view(nan), view(v), view(f)), StepResult::kDiverged);
}

TEST(NewmarkIntegrator, a_reset_restores_rest_and_views_show_it) {
  const ReducedEnergy energy = StrainLikeCoefficients(4).energy();
  NewmarkIntegrator integrator(energy, 1e-2);
  const ReducedState state = integrator.state();
  const Eigen::VectorXd f = random_state(4, 3);
  ASSERT_EQ(integrator.step(view(f)), StepResult::kOk);
  EXPECT_GT(vector_of(state.q).norm(), 0.0);
  integrator.reset();
  EXPECT_EQ(
      vector_of(state.q).norm() + vector_of(state.qdot).norm() + vector_of(state.qddot).norm(),
      0.0);
}

// With the coordinates x = L^T q of M = L L^T the mass is I again (density changed: M != I).
TEST(NewmarkIntegrator, general_mass_equals_the_transformed_system) {
  const Eigen::MatrixXd half = Eigen::MatrixXd::Random(5, 5);
  const Eigen::MatrixXd P = half * half.transpose() + Eigen::MatrixXd::Identity(5, 5);
  const Eigen::MatrixXd other = Eigen::MatrixXd::Random(5, 5);
  const Eigen::MatrixXd M = other * other.transpose() + Eigen::MatrixXd::Identity(5, 5);
  const Eigen::MatrixXd L = M.llt().matrixL();
  const Eigen::MatrixXd in_x =
      L.triangularView<Eigen::Lower>().solve(L.triangularView<Eigen::Lower>().solve(P).transpose());
  const ReducedEnergy energy = linear_energy(P);
  const ReducedEnergy energy_x = linear_energy(0.5 * (in_x + in_x.transpose()));
  const RayleighDamping damping{0.3, 0.01};
  NewmarkIntegrator in_q({.energy = &energy, .damping = damping, .mass = {M.data(), 25}}, 0.05);
  NewmarkIntegrator transformed(energy_x, 0.05, damping);
  for (std::uint32_t i = 0; i < 200; ++i) {
    const Eigen::VectorXd f = random_state(5, i);
    const Eigen::VectorXd f_x = L.triangularView<Eigen::Lower>().solve(f);
    if (i == 0) {
      const Eigen::VectorXd q = random_state(5, 99), v = random_state(5, 98);
      const Eigen::VectorXd x = L.transpose() * q, x_dot = L.transpose() * v;
      ASSERT_EQ(in_q.set_state(view(q), view(v), view(f)), StepResult::kOk);
      ASSERT_EQ(transformed.set_state(view(x), view(x_dot), view(f_x)), StepResult::kOk);
    }
    ASSERT_EQ(in_q.step(view(f)), StepResult::kOk);
    ASSERT_EQ(transformed.step(view(f_x)), StepResult::kOk);
  }
  const Eigen::VectorXd x = vector_of(transformed.state().q);
  // Rounding, amplified by the condition of M (about 30) over 200 steps.
  EXPECT_LE((L.transpose() * vector_of(in_q.state().q) - x).norm(), 1e-11 * x.norm());
}

TEST(NewmarkIntegrator, growth_beyond_the_limit_is_a_fault_that_keeps_the_state) {
  const ReducedEnergy energy = linear_energy(-100.0 * Eigen::MatrixXd::Identity(2, 2));
  const Eigen::VectorXd q = Eigen::Vector2d(0.1, 0.0), none = Eigen::Vector2d::Zero();
  for (const GrowthLimit& limit : {GrowthLimit{.norm = 1.0}, GrowthLimit{.step = 0.02}}) {
    NewmarkIntegrator integrator({.energy = &energy}, 0.01, {}, limit);
    ASSERT_EQ(integrator.set_state(view(q), view(none), view(none)), StepResult::kOk);
    StepResult result = StepResult::kOk;
    Eigen::VectorXd before = q;
    int steps = 0;
    for (; result == StepResult::kOk && steps < 1000; ++steps) {
      before = vector_of(integrator.state().q);
      result = integrator.step(view(none));
    }
    EXPECT_EQ(result, StepResult::kGrown);
    EXPECT_EQ(vector_of(integrator.state().q), before);
    EXPECT_LE(before.norm(), 1.0);
    EXPECT_GT(steps, 10);  // exp(10 t) / 2 has to come from 0.1 first
    EXPECT_EQ(integrator.step(view(none)), StepResult::kGrown);
    integrator.reset();
    EXPECT_EQ(integrator.step(view(none)), StepResult::kOk);
  }
}

TEST(NewmarkIntegrator, acceleration_is_capped_for_that_step_only) {
  const Eigen::MatrixXd half = Eigen::MatrixXd::Random(6, 6);
  const ReducedEnergy energy =
      linear_energy(half * half.transpose() + Eigen::MatrixXd::Identity(6, 6));
  const double dt = 1e-2, cap = 50.0;
  NewmarkIntegrator capped({.energy = &energy}, dt, {}, {.acceleration = cap});
  NewmarkIntegrator free({.energy = &energy}, dt);
  const Eigen::VectorXd blow = 1e4 * random_state(6, 3).normalized(),
                        soft = random_state(6, 4).normalized();
  ASSERT_EQ(capped.step(view(blow)), StepResult::kOk);
  ASSERT_EQ(free.step(view(blow)), StepResult::kOk);
  EXPECT_GT(vector_of(free.state().qddot).norm(), 100.0 * cap);
  const Eigen::VectorXd q = vector_of(capped.state().q), v = vector_of(capped.state().qdot),
                        a = vector_of(capped.state().qddot);
  EXPECT_LE(a.norm(), cap * (1.0 + 1e-12));
  EXPECT_GE(a.norm(), cap * (1.0 - 1e-12));
  // Of one step from rest under average acceleration, with the direction kept.
  EXPECT_LE((q - 0.25 * dt * dt * a).norm(), 1e-15);
  EXPECT_LE((v - 0.5 * dt * a).norm(), 1e-14);
  EXPECT_NEAR(a.dot(vector_of(free.state().qddot)), cap * vector_of(free.state().qddot).norm(),
              1e-6 * cap * 1e4);

  // The next, softer one is that of an integrator without a cap from the same state.
  NewmarkIntegrator from_there({.energy = &energy}, dt);
  NewmarkIntegrator again({.energy = &energy}, dt, {}, {.acceleration = cap});
  ASSERT_EQ(from_there.set_state(view(q), view(v), view(soft)), StepResult::kOk);
  ASSERT_EQ(again.set_state(view(q), view(v), view(soft)), StepResult::kOk);
  ASSERT_EQ(from_there.step(view(soft)), StepResult::kOk);
  ASSERT_EQ(again.step(view(soft)), StepResult::kOk);
  EXPECT_LT(vector_of(again.state().qddot).norm(), cap);
  EXPECT_EQ(vector_of(again.state().q), vector_of(from_there.state().q));
}

TEST(NewmarkIntegrator, bad_settings_are_refused) {
  const ReducedEnergy energy = duffing();
  EXPECT_THROW(NewmarkIntegrator(energy, 0.0), InputError);
  EXPECT_THROW(NewmarkIntegrator(energy, std::numeric_limits<double>::quiet_NaN()), InputError);
  EXPECT_THROW(NewmarkIntegrator(energy, 1e-3, {-1.0, 0.0}), InputError);
  EXPECT_THROW(NewmarkIntegrator(energy, 1e-3, {0.0, -1.0}), InputError);
  EXPECT_THROW(NewmarkIntegrator(energy, 1e-3, {}, {0, 0.0}), InputError);
}

/// The first d coordinates of a symmetric matrix, by columns.
std::vector<double> corner(const Eigen::MatrixXd& M, Eigen::Index d) {
  const Eigen::MatrixXd C = M.topLeftCorner(d, d);
  return {C.data(), C.data() + C.size()};
}

// After a change at rest, the integrators make the steps of new ones of that
// dimension, bit for bit, through the triangular path and the general one.
TEST(NewmarkIntegrator, fewer_and_more_coordinates_make_the_steps_of_a_new_integrator) {
  constexpr std::uint32_t r = 11;
  const Eigen::MatrixXd half = Eigen::MatrixXd::Random(r, r);
  const Eigen::MatrixXd M = Eigen::MatrixXd::Identity(r, r) + 0.3 * half * half.transpose();
  for (const double sign : {1.0, -1.0}) {
    StrainLikeCoefficients c(r, 0.3);
    // Softer than no springs at all: A of the step is indefinite.
    for (double& x : c.quadratic) x *= sign < 0.0 ? -2e6 : 1.0;
    const ReducedEnergy energy = c.energy();
    for (const bool general : {false, true}) {
      const auto truncated = [&](std::uint32_t d) {
        return ReducedEnergy(d, leading_entries(c.quadratic, r, 2, d),
                             leading_entries(c.cubic, r, 3, d),
                             leading_entries(c.quartic, r, 4, d));
      };
      const std::vector<double> whole_mass = corner(M, r);
      ReducedSystem system{.energy = &energy, .damping = {0.1, 0.002}};
      if (general) system.mass = whole_mass;
      NewmarkIntegrator changing(system, 1e-3);
      CentralDifferences central(system, 1e-4);
      // A system must outlive the change to the next.
      std::deque<ReducedEnergy> energies;
      std::deque<std::vector<double>> masses;
      for (const std::uint32_t d : {6u, 10u, 1u, 11u, 4u}) {
        const ReducedEnergy& few = energies.emplace_back(truncated(d));
        const std::vector<double>& mass = masses.emplace_back(corner(M, d));
        ReducedSystem own{.energy = &few, .damping = {0.1, 0.002}};
        if (general) own.mass = mass;
        {
          NoAllocation guard;
          changing.set_system(own);
          central.set_system(own);
        }
        changing.reset();
        central.reset();
        NewmarkIntegrator fresh(own, 1e-3);
        CentralDifferences fresh_central(own, 1e-4);
        const Eigen::VectorXd f = random_state(d, d, 10.0);
        for (int i = 0; i < 20; ++i) {
          const StepResult result = fresh.step(view(f));
          {
            NoAllocation guard;
            ASSERT_EQ(changing.step(view(f)), result);
          }
          const Eigen::VectorXd q = vector_of(fresh.state().q), v = vector_of(fresh.state().qdot);
          // Where A is indefinite, it is solved as a part of a matrix of r, with other roundings.
          const double rounding = sign < 0.0 ? 1e-12 : 0.0;
          ASSERT_LE((vector_of(changing.state().q) - q).norm(), rounding * q.norm()) << d;
          ASSERT_LE((vector_of(changing.state().qdot) - v).norm(), rounding * v.norm()) << d;
          ASSERT_EQ(central.step(view(f)), fresh_central.step(view(f)));
          ASSERT_EQ(vector_of(central.state().q), vector_of(fresh_central.state().q)) << d;
        }
        ASSERT_GT(vector_of(fresh.state().q).norm(), 0.0);
      }
    }
  }
}

// Coordinates that stop are an impulse on these alone: the momentum of the others, the first rows
// of M q', is what it was, and kinetic energy is lost.
TEST(NewmarkIntegrator, coordinates_that_stop_keep_the_momentum_of_the_others) {
  constexpr std::uint32_t r = 7, d = 3;
  const ReducedEnergy energy = StrainLikeCoefficients(r, 0.3).energy();
  const Eigen::MatrixXd half = Eigen::MatrixXd::Random(r, r);
  const Eigen::MatrixXd M = Eigen::MatrixXd::Identity(r, r) + half * half.transpose();
  const std::vector<double> mass = corner(M, r), few = corner(M, d);
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const ReducedSystem system{.energy = &energy, .mass = mass};
    NewmarkIntegrator integrator(system, 1e-3);
    const Eigen::VectorXd q = random_state(r, seed), v = random_state(r, seed + 100),
                          none = Eigen::VectorXd::Zero(r);
    ASSERT_EQ(integrator.set_state(view(q), view(v), view(none)), StepResult::kOk);
    ReducedSystem reduced{.energy = &energy, .mass = few};
    reduced.fixed = view(q).subspan(d);
    {
      NoAllocation guard;
      integrator.set_system(reduced);
    }
    const Eigen::VectorXd after = vector_of(integrator.state().qdot);
    ASSERT_EQ(after.size(), d);
    EXPECT_EQ(vector_of(integrator.state().q), q.head(d));
    const Eigen::VectorXd momentum = (M * v).head(d);
    EXPECT_LE((M.topLeftCorner(d, d) * after - momentum).norm(), 1e-12 * momentum.norm());
    EXPECT_LE(after.dot(M.topLeftCorner(d, d) * after), v.dot(M * v));
  }
}

// Coordinates behind those of the equation enter the forces where they are fixed: a body that is
// held there comes to rest where the force of all coordinates vanishes on the others.
TEST(NewmarkIntegrator, fixed_coordinates_act_and_do_not_move) {
  constexpr std::uint32_t r = 9, d = 5;
  const ReducedEnergy energy = StrainLikeCoefficients(r, 0.3).energy();
  const Eigen::VectorXd tail = random_state(r - d, 4, 0.5), none = Eigen::VectorXd::Zero(d);
  ReducedSystem system{.energy = &energy, .damping = {5.0, 0.02}};
  system.fixed = view(tail);
  NewmarkIntegrator newmark(system, 1e-2);
  CentralDifferences central(system, 1e-3);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(newmark.step(view(none)), StepResult::kOk);
    ASSERT_EQ(central.step(view(none)), StepResult::kOk);
  }
  for (int i = 0; i < 45000; ++i) ASSERT_EQ(central.step(view(none)), StepResult::kOk);
  for (const ReducedState& state : {newmark.state(), central.state()}) {
    Eigen::VectorXd all(r);
    all << vector_of(state.q), tail;
    const Response response(energy, all);
    EXPECT_GT(vector_of(state.q).norm(), 1e-2);
    EXPECT_LE(response.force.head(d).norm(), 1e-9 * response.force.norm());
  }
}

}  // namespace
}  // namespace haptic
