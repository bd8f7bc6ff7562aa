// The exact step of the modes of a condensed body: against closed forms of a damped oscillator, at
// rates from below twice its frequency to 8 kHz.
#include "rt/worlds/condensed/modal_step.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include "tests/rt/worlds/condensed/condensed_block.h"
#include "tests/rt/worlds/condensed/condensed_motion.h"

namespace haptic::condensed {
namespace {

constexpr double kRates[] = {100.0, 250.0, 1000.0, 4000.0, 8000.0};

struct FirstSteps {
  double q = 0.0, rate = 0.0;
  void step(const ModalStep& s, double force) {
    const double next = s.q_of_q * q + s.q_of_rate * rate + s.q_of_force * force;
    rate = s.rate_of_q * q + s.rate_of_rate * rate + s.rate_of_force * force;
    q = next;
  }
};

/// Damping ratio and frequency are those of the equation, whatever the rate: 1 s of ringing.
TEST(ModalStep, rings_as_the_equation_at_any_rate) {
  for (const double hz : kRates) {
    for (const double f : {3.0, 8.0, 20.0, 45.0}) {
      for (const double zeta : {0.0, 0.03, 0.2, 0.9}) {
        const double w = 2.0 * std::numbers::pi * f, h = 1.0 / hz;
        const ModalStep step = modal_step(ModalIntegrator::kExact, w * w, 2.0 * zeta * w, h);
        FirstSteps mode{1.0, 0.0};
        const double damped = w * std::sqrt(1.0 - zeta * zeta);
        for (int i = 1; i <= int(hz); ++i) {
          mode.step(step, 0.0);
          const double t = i * h, phase = damped * t;
          const double exact =
              std::exp(-zeta * w * t) * (std::cos(phase) + zeta * w / damped * std::sin(phase));
          ASSERT_NEAR(mode.q, exact, 1e-10) << hz << ' ' << f << ' ' << zeta;
        }
      }
    }
  }
}

/// Together with its static part, (1 - kappa) / k, a mode yields to a lasting force by 1 / k.
TEST(ModalStep, a_lasting_force_keeps_the_static_displacement) {
  for (const ModalIntegrator integrator : {ModalIntegrator::kExact, ModalIntegrator::kImplicit}) {
    for (const double hz : kRates) {
      for (const double w : {10.0, 300.0, 5000.0}) {
        const ModalStep step = modal_step(integrator, w * w, 0.4 * w, 1.0 / hz);
        FirstSteps mode{2.0 * step.part / (w * w), 0.0};
        for (int i = 0; i < 1000; ++i) mode.step(step, 2.0);
        EXPECT_NEAR(mode.q, 2.0 * step.part / (w * w), 1e-11 / (w * w));
        EXPECT_NEAR(mode.rate, 0.0, 1e-11 / w);
      }
    }
  }
}

/// Of a mode faster than half the rate the force moves nothing but its static part; of one with ten
/// steps a period all but 2.6 % is dynamic.
TEST(ModalStep, only_modes_that_the_rate_resolves_are_dynamic) {
  const auto part = [](double steps_per_period) {
    const double w = 2.0 * std::numbers::pi * 1000.0 / steps_per_period;
    return modal_step(ModalIntegrator::kExact, w * w, 0.0, 1e-3).part;
  };
  EXPECT_EQ(part(1.9), 0.0);
  EXPECT_NEAR(part(2.001), 0.0, 0.01);
  EXPECT_NEAR(part(10.0), 1.0 - std::pow(std::tan(std::numbers::pi / 20.0), 2), 1e-12);
  EXPECT_GT(part(10.0), 0.974);
  EXPECT_GT(part(100.0), 0.9997);
}

/// A single undamped mode held at a place: the velocity that is left falls by the larger root of
/// the step, 1 / (1 + 2 cos(w h / 2)), as derived in docs/methods/static-dynamic.md, "Exact modes".
/// Without the static part it would flip its sign for ever.
TEST(ModalStep, a_held_mode_comes_to_rest) {
  for (const double angle : {0.01, 0.1, 0.5, 1.5, 2.5}) {
    const double h = 1e-3, w = angle / h;
    const ModalStep step = modal_step(ModalIntegrator::kExact, w * w, 0.0, h);
    const double at_once = (1.0 - step.part) / (w * w);
    const auto left_after = [&](int steps, const ModalStep& s, double statics) {
      FirstSteps mode{0.0, 1.0};
      for (int i = 0; i < steps; ++i) {
        FirstSteps free = mode;
        free.step(s, 0.0);
        mode.step(s, -free.q / (s.q_of_force + statics));  // q + statics * force = 0
      }
      return std::hypot(mode.rate, w * mode.q);
    };
    const double root = 1.0 / (1.0 + 2.0 * std::cos(0.5 * angle));
    // A double root: n root^n, whose ratio over ten steps is root^10 times 40 / 30.
    EXPECT_LT(left_after(40, step, at_once),
              2.0 * std::pow(root, 10) * left_after(30, step, at_once))
        << angle;
    ModalStep without = step;
    without.q_of_force /= step.part;
    without.rate_of_force /= step.part;
    EXPECT_GT(left_after(40, without, 0.0), 0.9) << angle;
  }
}

/// A mode that shakes a held contact through the statics there, a spring of k_e, loses h k_e / 4
/// per second beside its own damping: within 6 % up to w h = 0.45 of the held
/// mode.
TEST(ModalStep, a_held_contact_damps_by_its_statics) {
  for (const double hz : {250.0, 1000.0, 4000.0}) {
    for (const double w : {20.0, 50.0}) {
      for (const double ke : {0.2 * w * w, w * w, 4.0 * w * w}) {
        const double h = 1.0 / hz;
        const ModalStep step = modal_step(ModalIntegrator::kExact, w * w, 0.0, h);
        const double yields = step.q_of_force + (1.0 - step.part) / (w * w) + 1.0 / ke;
        // The determinant of the step is the square of the modulus of its two roots.
        FirstSteps columns[2] = {{1.0, 0.0}, {0.0, 1.0}};
        for (FirstSteps& mode : columns) {
          FirstSteps free = mode;
          free.step(step, 0.0);
          mode.step(step, -free.q / yields);
        }
        const double determinant = columns[0].q * columns[1].rate - columns[1].q * columns[0].rate;
        const double rate = -0.5 * std::log(determinant) / h;
        EXPECT_NEAR(rate, 0.25 * h * ke, 0.06 * 0.25 * h * ke) << hz << ' ' << w << ' ' << ke;
      }
    }
  }
}

/// The body gains no more energy than the contact forces do work on it, whatever the forces, rates
/// and modes; without damping, statics and release, it gains exactly the work.
TEST(ModalStep, energy_grows_by_at_most_the_work_of_the_forces) {
  const CondensedBlock block({.edge_count = 2, .keep_interior = true});
  const std::vector<ContactRow> rows{
      row_of_vertex(block.model(), block.vertex_at(0.05, 0.05, 0.1)),
      row_of_vertex(block.model(), block.vertex_at(0.025, 0.025, 0.1))};
  const Eigen::MatrixXd H = block.H(rows);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const double hz : kRates) {
    for (const std::size_t m : {3, 20, 54}) {
      for (const RayleighDamping damping : {RayleighDamping{}, RayleighDamping{2.0, 1e-3}}) {
        CondensedMotion motion(block, {.integrator = ModalIntegrator::kExact,
                                       .modes = m,
                                       .dt = 1.0 / hz,
                                       .damping = damping});
        for (const ContactRow& row : rows) ASSERT_TRUE(motion.dynamics.add_contact(row));
        Eigen::VectorXd before = Eigen::VectorXd::Zero(6), lambda(6);
        double energy = 0.0, work = 0.0, moved = 0.0;
        for (int i = 0; i < 500; ++i) {
          for (double& value : lambda) value = normal(random);
          motion.dynamics.prepare();
          ASSERT_TRUE(motion.dynamics.advance({lambda.data(), 6}));
          const Eigen::VectorXd now = H * motion.u();
          const CondensedEnergy e = motion.dynamics.energy();
          const double gain = e.kinetic + e.modal + e.statics - energy;
          energy += gain;
          work = lambda.dot(now - before);
          moved += std::abs(work);
          before = now;
          ASSERT_LE(gain, work + 1e-12 * (moved + energy)) << hz << ' ' << m << ' ' << i;
        }
        ASSERT_GT(energy, 0.0);
      }
    }
  }
}

/// All modes, so that nothing else yields, and no damping: the forces that hold two points settle
/// at any rate.
TEST(ModalStep, forces_on_held_contacts_settle_at_any_rate) {
  const CondensedBlock block({.edge_count = 2, .keep_interior = true});
  const ContactRow row = row_of_vertex(block.model(), block.vertex_at(0.05, 0.05, 0.1));
  const Eigen::MatrixXd H = block.H({row}), S = H * block.C * H.transpose();
  const Eigen::Vector3d target(0.001, 0.0, -0.004);
  const Eigen::Vector3d still = S.inverse() * target;
  for (const double hz : kRates) {
    CondensedMotion motion(block, {.integrator = ModalIntegrator::kExact,
                                   .modes = 54,
                                   .dt = 1.0 / hz,
                                   .damping = {5.0, 2e-3}});
    ASSERT_TRUE(motion.dynamics.add_contact(row));
    for (int i = 0; i < int(4.0 * hz); ++i) motion.step(target);
    EXPECT_LT((motion.lambda - still).norm(), 1e-6 * still.norm()) << hz;
  }
}

}  // namespace
}  // namespace haptic::condensed
