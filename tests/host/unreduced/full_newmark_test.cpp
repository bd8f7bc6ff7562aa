// The unreduced body in time: energy, damping, the solvers against each other, large steps.
#include "host/unreduced/full_newmark.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "host/fem/static_solver.h"
#include "host/reduction/linear_modes.h"
#include "shared/error.h"
#include "tests/host/reduction/beam.h"

namespace haptic {
namespace {

/// Transverse force (along y) spread over the end face of a beam of length `length`.
Eigen::VectorXd tip_load(const StvkModel& model, double force) {
  Eigen::VectorXd f = Eigen::VectorXd::Zero(model.dof_count());
  const double end = model.mesh().upper().x();
  std::vector<int> face;
  for (int v = 0; v < model.vertex_count(); ++v) {
    if (model.mesh().vertex(v).x() > end - 1e-9) face.push_back(v);
  }
  for (const int v : face) f[3 * v + 1] = force / static_cast<double>(face.size());
  return f;
}

double first_period(const StvkModel& model) {
  const LinearModes modes = linear_modes(model, factor_rest_stiffness(model), 1);
  return 2.0 * std::numbers::pi / std::sqrt(modes.eigenvalues[0]);
}

double energy_of(const FullDynamics& body) {
  return body.strain_energy() + body.kinetic_energy();
}

/// A beam of 10 x 1 x 2 cubes, released from a static bend of a third of its length.
class ReleasedBody : public testing::Test {
 protected:
  ReleasedBody()
      : model(held_beam(10, 1, 2, 0.1)),
        none(Eigen::VectorXd::Zero(model.dof_count())),
        bent(solve_static(model, tip_load(model, 20.0)).u),
        period(first_period(model)) {}

  /// Energy kept after `periods` periods of the lowest mode, over that at the start.
  double kept(int steps, int periods, const FullNewmarkSettings& settings) const {
    FullNewmark body(model, period / steps, {}, settings);
    body.set_state(bent, none, none);
    const double start = energy_of(body);
    for (int i = 0; i < periods * steps; ++i) body.step(none);
    return energy_of(body) / start;
  }

  StvkModel model;
  Eigen::VectorXd none, bent;
  double period;
};

TEST_F(ReleasedBody, bends_far_beyond_the_linear_range) {
  const double tip = bent[3 * (model.vertex_count() - 1) + 1];
  EXPECT_GT(tip, 0.2);
  EXPECT_LT(tip, 0.5);
}

// Average acceleration conserves the quadratic energy exactly: the difference is rounding, 1e-16
// per step and solve.
TEST_F(ReleasedBody, linear_energy_is_conserved) {
  FullNewmarkSettings linear;
  linear.solver = FullSolver::kLinear;
  EXPECT_NEAR(kept(30, 20, linear), 1.0, 1e-10);
}

TEST_F(ReleasedBody, converged_newton_keeps_the_nonlinear_energy) {
  FullNewmarkSettings converged;
  converged.iterations = 8;
  converged.tolerance = 1e-8;
  const double result = kept(60, 3, converged);
  EXPECT_NEAR(result, 1.0, 0.01);
  RecordProperty("kept", std::to_string(result));
}

TEST_F(ReleasedBody, one_newton_step_dissipates_less_with_smaller_steps) {
  const double coarse = kept(30, 2, {}), fine = kept(120, 2, {});
  EXPECT_LT(coarse, fine);
  EXPECT_LT(fine, 1.02);
  RecordProperty("kept_at_30", std::to_string(coarse));
  RecordProperty("kept_at_120", std::to_string(fine));
}

TEST_F(ReleasedBody, damped_energy_never_increases) {
  FullNewmarkSettings settings;
  settings.iterations = 3;
  const double w = 2.0 * std::numbers::pi / period;
  FullNewmark body(model, period / 60, {0.05 * w, 0.05 / w}, settings);
  body.set_state(bent, none, none);
  double before = energy_of(body);
  const double start = before;
  for (int i = 0; i < 120; ++i) {
    body.step(none);
    const double now = energy_of(body);
    EXPECT_LE(now, before + 1e-12 * start);  // rounding of the sums
    before = now;
  }
  EXPECT_LT(before, 0.5 * start);
}

TEST_F(ReleasedBody, matrix_free_steps_equal_direct_ones_to_the_solver_tolerance) {
  const auto run = [&](FullSolver solver) {
    FullNewmarkSettings settings;
    settings.solver = solver;
    settings.iterations = 2;
    settings.tolerance = 0.0;
    FullNewmark body(model, period / 60, {0.1, 1e-3}, settings);
    const Eigen::VectorXd push = tip_load(model, 60.0);
    int cg = 0;
    for (int i = 0; i < 20; ++i) cg += body.step(i < 8 ? push : none).cg_iterations;
    EXPECT_EQ(cg > 0, solver == FullSolver::kMatrixFree);
    return body.displacement();
  };
  const Eigen::VectorXd direct = run(FullSolver::kDirect);
  EXPECT_GT(direct.cwiseAbs().maxCoeff(), 0.1);
  // 1e-10 per system, 40 systems, errors propagated by a nonlinear motion.
  EXPECT_LE((run(FullSolver::kMatrixFree) - direct).norm(), 1e-7 * direct.norm());
}

// With phi = beta lambda and psi = beta mu, strain-rate damping of small motion is Rayleigh's beta.
TEST_F(ReleasedBody, strain_rate_damping_of_small_motion_is_stiffness_damping) {
  const double beta = 0.02;
  const LameParameters lame = model.mesh().material(0).lame();
  const Eigen::VectorXd push = tip_load(model, 1e-6);
  const auto run = [&](FullSolver solver, RayleighDamping damping, LameParameters viscosity) {
    FullNewmarkSettings settings;
    settings.solver = solver;
    settings.viscosity = {viscosity};
    FullNewmark body(model, period / 60, damping, settings);
    for (int i = 0; i < 30; ++i) body.step(i < 5 ? push : none);
    return body.displacement();
  };
  const Eigen::VectorXd expected = run(FullSolver::kDirect, {0.0, beta}, {});
  EXPECT_GT((run(FullSolver::kDirect, {}, {}) - expected).norm(), 0.01 * expected.norm());
  for (const auto solver : {FullSolver::kDirect, FullSolver::kMatrixFree, FullSolver::kLinear}) {
    // Displacements of 1e-7 m are linear to 1e-6; systems are solved to 1e-10.
    EXPECT_LE((run(solver, {}, {beta * lame.lambda, beta * lame.mu}) - expected).norm(),
              1e-5 * expected.norm());
  }
}

TEST_F(ReleasedBody, strain_rate_damping_takes_energy_from_large_motion) {
  FullNewmarkSettings settings;
  settings.iterations = 4;
  settings.viscosity = {{1e3, 2e3}};
  FullNewmark body(model, period / 60, {}, settings);
  body.set_state(bent, none, none);
  double before = energy_of(body);
  const double start = before;
  for (int i = 0; i < 120; ++i) {
    body.step(none);
    const double now = energy_of(body);
    EXPECT_LE(now, before + 1e-6 * start);  // Newton stops before the minimum of the step
    before = now;
  }
  EXPECT_LT(before, 0.9 * start);
}

// One step of two periods under a load that pulls the beam to more than its length aside: the plain
// Newton iteration does not converge, because tangents are indefinite; with the line search it
// reaches the minimum.
TEST_F(ReleasedBody, line_search_converges_where_plain_newton_does_not) {
  const Eigen::VectorXd push = tip_load(model, 5000.0);
  FullNewmarkSettings settings;
  settings.iterations = 60;
  settings.tolerance = 1e-9;
  FullNewmark searched(model, 2.0 * period, {}, settings);
  const FullStepReport with = searched.step(push);
  EXPECT_TRUE(with.converged) << with.residual;
  EXPECT_GT(with.backtracks, 0);
  EXPECT_EQ(with.shifts, 0);
  EXPECT_LE(with.iterations, 20);

  settings.line_search = false;
  FullNewmark plain(model, 2.0 * period, {}, settings);
  EXPECT_FALSE(plain.step(push).converged);
}

TEST_F(ReleasedBody, starts_in_equilibrium_without_acceleration) {
  FullNewmark body(model, 1e-3);
  const Eigen::VectorXd load = tip_load(model, 20.0);
  body.set_state(bent, none, load);
  for (int i = 0; i < 5; ++i) body.step(load);
  // The static solution holds to 1e-10 of the load.
  EXPECT_LE((body.displacement() - bent).norm(), 1e-8 * bent.norm());
}

TEST_F(ReleasedBody, refuses_invalid_input) {
  EXPECT_THROW(FullNewmark(model, 0.0), InputError);
  EXPECT_THROW(FullNewmark(model, 1e-3, {-1.0, 0.0}), InputError);
  FullNewmarkSettings none_at_all;
  none_at_all.iterations = 0;
  EXPECT_THROW(FullNewmark(model, 1e-3, {}, none_at_all), InputError);
  FullNewmark body(model, 1e-3);
  EXPECT_THROW(body.step(Eigen::VectorXd::Zero(3)), InputError);
  EXPECT_THROW(body.set_state(none, none.head(3), none), InputError);
  Eigen::VectorXd bad = none;
  bad[0] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(body.set_state(bad, none, none), InputError);
  bad[model.dof_count() - 1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(body.step(bad), OperationError);
  EXPECT_EQ(body.displacement().norm(), 0.0);  // the last good state
}

}  // namespace
}  // namespace haptic
