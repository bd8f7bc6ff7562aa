// Corotational and neo-Hookean bodies in time: the same integrators as StVK's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "host/fem/smallest_volume.h"
#include "host/fem/static_solver.h"
#include "host/reduction/linear_modes.h"
#include "host/unreduced/full_central_differences.h"
#include "host/unreduced/full_newmark.h"
#include "host/unreduced/full_statics.h"
#include "shared/error.h"
#include "tests/host/reduction/reduced_body.h"

namespace haptic {
namespace {

constexpr ElasticModel kAll[] = {ElasticModel::kStvk, ElasticModel::kCorotational,
                                 ElasticModel::kNeoHookean};

/// A beam of 10 x 1 x 2 cubes of 0.1 m.
StvkModel beam_of(ElasticModel elastic) {
  SolidMesh mesh = make_box_mesh(10, 1, 2, 0.1, Material{1e6, 0.3, 1000.0});
  const auto fixed = clamped_face(mesh);
  return {std::move(mesh), fixed, {.elastic = elastic}};
}

/// `force` [N] along an axis, shared by the vertices of the end face.
Eigen::VectorXd end_load(const StvkModel& model, int axis, double force) {
  Eigen::VectorXd f = Eigen::VectorXd::Zero(model.dof_count());
  std::vector<int> face;
  for (int v = 0; v < model.vertex_count(); ++v) {
    if (model.mesh().vertex(v).x() > 1.0 - 1e-9) face.push_back(v);
  }
  for (const int v : face) f[3 * v + axis] = force / static_cast<double>(face.size());
  return f;
}

double period_of(const StvkModel& model) {
  const LinearModes modes = linear_modes(model, factor_rest_stiffness(model), 1);
  return 2.0 * std::numbers::pi / std::sqrt(modes.eigenvalues[0]);
}

double total_energy(const FullDynamics& body) {
  return body.strain_energy() + body.kinetic_energy();
}

// As StVK's in test 27: converged average acceleration keeps the nonlinear energy within 1 %.
TEST(FullElasticModels, converged_newton_keeps_the_energy_of_every_model) {
  for (const ElasticModel elastic : kAll) {
    SCOPED_TRACE(name_of(elastic));
    const StvkModel model = beam_of(elastic);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.dof_count());
    const Eigen::VectorXd bent = solve_static(model, end_load(model, 1, 20.0)).u;
    FullNewmarkSettings converged;
    converged.iterations = 8;
    FullNewmark body(model, period_of(model) / 60, {}, converged);
    body.set_state(bent, none, none);
    const double start = total_energy(body);
    EXPECT_GT(bent.lpNorm<Eigen::Infinity>(), 0.2);
    for (int i = 0; i < 120; ++i) EXPECT_TRUE(body.step(none).converged) << i;
    EXPECT_NEAR(total_energy(body), start, 0.01 * start);
  }
}

TEST(FullElasticModels, small_motions_agree) {
  Eigen::VectorXd expected;
  for (const ElasticModel elastic : kAll) {
    SCOPED_TRACE(name_of(elastic));
    const StvkModel model = beam_of(elastic);
    const double w = 2.0 * std::numbers::pi / period_of(model);
    FullNewmarkSettings settings;
    settings.viscosity = {{20.0, 10.0}};
    FullNewmark body(model, 0.1 / w, {0.05 * w, 0.02 / w}, settings);
    const Eigen::VectorXd push = end_load(model, 1, 1e-5);
    for (int i = 0; i < 30; ++i) body.step(push);
    if (expected.size() == 0) expected = body.displacement();
    // Displacements of 1e-7 m of a beam of 1 m differ in the second order.
    EXPECT_GT(expected.norm(), 1e-7);
    EXPECT_LE((body.displacement() - expected).norm(), 1e-5 * expected.norm());
  }
}

// Strain-rate damping and stiffness damping take energy from large motion of every model.
TEST(FullElasticModels, damped_energy_never_increases) {
  for (const ElasticModel elastic : kAll) {
    SCOPED_TRACE(name_of(elastic));
    const StvkModel model = beam_of(elastic);
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.dof_count());
    const Eigen::VectorXd bent = solve_static(model, end_load(model, 1, 20.0)).u;
    const double period = period_of(model), w = 2.0 * std::numbers::pi / period;
    FullNewmarkSettings settings;
    settings.iterations = 4;
    settings.viscosity = {{1e3, 2e3}};
    FullNewmark body(model, period / 60, {0.02 * w, 0.02 / w}, settings);
    body.set_state(bent, none, none);
    const double start = total_energy(body);
    double before = start;
    for (int i = 0; i < 60; ++i) {
      body.step(none);
      EXPECT_LE(total_energy(body), before + 1e-6 * start);  // Newton stops before the minimum
      before = total_energy(body);
    }
    // Rayleigh damping of ratio 0.02 alone leaves exp(-4 pi 0.02) after a period.
    EXPECT_LT(before, 0.78 * start);
  }
}

TEST(FullElasticModels, matrix_free_steps_equal_direct_ones) {
  for (const ElasticModel elastic : kAll) {
    SCOPED_TRACE(name_of(elastic));
    const StvkModel model = beam_of(elastic);
    const auto run = [&](FullSolver solver) {
      FullNewmarkSettings settings;
      settings.solver = solver;
      settings.iterations = 2;
      settings.tolerance = 0.0;
      FullNewmark body(model, period_of(model) / 60, {0.1, 1e-3}, settings);
      for (int i = 0; i < 8; ++i) body.step(end_load(model, 1, 60.0));
      return body.displacement();
    };
    const Eigen::VectorXd direct = run(FullSolver::kDirect);
    EXPECT_GT(direct.lpNorm<Eigen::Infinity>(), 0.02);
    // 1e-10 per system, 16 systems, errors propagated by a nonlinear motion.
    EXPECT_LE((run(FullSolver::kMatrixFree) - direct).norm(), 1e-7 * direct.norm());
  }
}

/// A cube of 1 m under a load on its end face.
struct PressedCube {
  PressedCube() : model(make()) {}
  static StvkModel make() {
    SolidMesh mesh = make_box_mesh(3, 3, 3, 1.0 / 3.0, Material{1e6, 0.3, 1000.0});
    const auto fixed = clamped_face(mesh);
    return {std::move(mesh), fixed, {.elastic = ElasticModel::kNeoHookean}};
  }
  StvkModel model;
  double period = period_of(model);
  Eigen::VectorXd push = end_load(model, 0, -1e6);  // E A
};

// The plain Newton step turns elements inside out; the line search keeps them from it.
TEST(FullElasticModels, neo_hookean_steps_do_not_invert) {
  const PressedCube cube;
  FullNewmarkSettings settings;
  settings.iterations = 60;
  FullNewmark body(cube.model, 0.05 * cube.period, {}, settings);
  const FullStepReport report = body.step(cube.push);
  EXPECT_TRUE(report.converged) << report.residual;
  EXPECT_GT(report.backtracks, 0);
  const double ratio = smallest_volume(cube.model.mesh(), body.displacement()).ratio;
  EXPECT_GT(ratio, 0.0);
  EXPECT_LT(ratio, 0.3);

  settings.iterations = 1;
  settings.line_search = false;
  FullNewmark plain(cube.model, 0.05 * cube.period, {}, settings);
  try {
    plain.step(cube.push);
    FAIL() << "an inverted neo-Hookean element";
  } catch (const OperationError& error) {
    EXPECT_THAT(error.what(), testing::ContainsRegex("element [0-9]+ is inverted \\(det F = -"));
  }
  EXPECT_EQ(plain.displacement().norm(), 0.0);  // the last good state
}

TEST(FullElasticModels, inverted_neo_hookean_states_are_refused) {
  const StvkModel model = beam_of(ElasticModel::kNeoHookean);
  Eigen::VectorXd u = Eigen::VectorXd::Zero(model.dof_count());
  for (int v = 0; v < model.vertex_count(); ++v) u[3 * v] = -1.5 * model.mesh().vertex(v).x();
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.dof_count());
  EXPECT_THROW(FullNewmark(model, 1e-3).set_state(u, none, none), OperationError);
  EXPECT_THROW(FullCentralDifferences(model, 1e-5).set_state(u, none, none), OperationError);
  EXPECT_THROW(FullStatics(model, 1e-3).set_state(u, none, none), OperationError);
  // A blow that carries the end through the beam within one explicit step.
  FullCentralDifferences body(model, 1e-4);
  const Eigen::VectorXd blow = end_load(model, 0, -1e8);
  EXPECT_THROW(
      {
        for (int i = 0; i < 5; ++i) body.step(blow);
      },
      OperationError);
  const StvkModel corotational = beam_of(ElasticModel::kCorotational);
  FullNewmark inverted(corotational, 1e-3);
  inverted.set_state(u, none, none);
  EXPECT_TRUE(std::isfinite(inverted.strain_energy()));
}

}  // namespace
}  // namespace haptic
