#include "host/fem/static_solver.h"

#include <gtest/gtest.h>

#include "shared/error.h"

namespace haptic {
namespace {

// 10x2x2 beam of length 1 held at x = 0.
StvkModel beam() {
  SolidMesh mesh = make_box_mesh(10, 2, 2, 0.1, {1e6, 0.3, 1000.0});
  std::vector<std::uint32_t> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertex(v).x() < 1e-9) fixed.push_back(static_cast<std::uint32_t>(v));
  }
  return {std::move(mesh), fixed};
}

// Force per vertex of the end face [N], total `force`.
Eigen::VectorXd tip_load(const StvkModel& model, const Vector3& force) {
  Eigen::VectorXd f = Eigen::VectorXd::Zero(model.dof_count());
  for (int v = 0; v < model.vertex_count(); ++v) {
    if (model.mesh().vertex(v).x() > 0.95) f.segment<3>(3 * v) = force / 9.0;
  }
  return f;
}

TEST(StaticSolver, large_deflection_is_in_equilibrium) {
  const StvkModel model = beam();
  const double EI = 1e6 * 0.2 * 0.2 * 0.2 * 0.2 / 12.0;
  const Eigen::VectorXd f = tip_load(model, Vector3(0.0, 4.0 * EI, 0.0));  // F L^2 / EI = 4
  const StaticSolution solution = solve_static(model, f);
  EXPECT_LE(solution.residual, 1e-10);
  EXPECT_TRUE(solution.stable);
  EXPECT_LE(model.restrict_to_free(model.force(solution.u) - f).norm(), 1e-9 * f.norm());
  for (const std::uint32_t v : model.fixed_vertices()) {
    EXPECT_EQ(solution.u.segment<3>(3 * v).norm(), 0.0);
  }
  // The tip has come up by more than half the length: far from linear.
  const double tip = solution.u[3 * (model.vertex_count() - 1) + 1];
  EXPECT_GT(tip, 0.5);
  EXPECT_LT(tip, 0.8);
}

TEST(StaticSolver, buckles_to_a_stable_state_and_reports_an_unstable_one) {
  const StvkModel model = beam();
  const double EI = 1e6 * 0.2 * 0.2 * 0.2 * 0.2 / 12.0;
  // Above the Euler load of a cantilever, pi^2 EI / 4 = 2.47 EI. Pushed along the diagonal of its
  // square section the beam buckles; pushed along a side it keeps that symmetry, which is unstable
  // towards the diagonal.
  const StaticSolution bent =
      solve_static(model, tip_load(model, Vector3(-3.0 * EI, 0.01 * EI, 0.01 * EI)));
  EXPECT_LE(bent.residual, 1e-10);
  EXPECT_TRUE(bent.stable);
  // The push alone would move the tip by 0.003; buckled, it moves by a third of the length.
  EXPECT_GT(bent.u.tail<3>()[1], 0.3);
  EXPECT_GT(bent.u.tail<3>()[2], 0.3);

  const StaticSolution in_plane =
      solve_static(model, tip_load(model, Vector3(-3.0 * EI, 0.01 * EI, 0.0)));
  // Its tangent is indefinite, so that the potential decides alone, and the rounding of that ends
  // the progress: below the tolerance of 1e-10 on one processor, at 1.8e-10 on another.
  EXPECT_LE(in_plane.residual, 1e-9);
  EXPECT_FALSE(in_plane.stable);
}

TEST(StaticSolver, starts_from_a_given_equilibrium) {
  const StvkModel model = beam();
  const Eigen::VectorXd f = tip_load(model, Vector3(0.0, 0.0, 30.0));
  const Eigen::VectorXd direct = solve_static(model, f).u;
  StaticOptions options;
  options.start = solve_static(model, 0.5 * f).u;
  options.load_steps = 1;
  const StaticSolution continued = solve_static(model, f, options);
  EXPECT_LE((continued.u - direct).norm(), 1e-8 * direct.norm());
}

TEST(StaticSolver, no_load_gives_rest_and_a_wrong_size_is_refused) {
  const StvkModel model = beam();
  EXPECT_EQ(solve_static(model, Eigen::VectorXd::Zero(model.dof_count())).u.norm(), 0.0);
  EXPECT_THROW(solve_static(model, Eigen::VectorXd::Zero(3)), InputError);
}

}  // namespace
}  // namespace haptic
