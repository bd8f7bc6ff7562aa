#include "host/unreduced/full_central_differences.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "host/reduction/linear_modes.h"
#include "host/unreduced/full_newmark.h"
#include "shared/error.h"
#include "tests/host/reduction/beam.h"

namespace haptic {
namespace {

TEST(FullCentralDifferences, highest_frequency_is_that_of_the_dense_problem) {
  const StvkModel model = held_beam(4, 2, 1, 0.1);
  const Eigen::MatrixXd K = model.stiffness_at_rest();
  const Eigen::MatrixXd M = model.mass(MassKind::kLumped);
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> dense(K, M,
                                                                        Eigen::EigenvaluesOnly);
  const double expected = std::sqrt(dense.eigenvalues().maxCoeff());
  // The Ritz value errs by the square of its residual, 1e-4, and never exceeds the eigenvalue.
  EXPECT_NEAR(largest_angular_frequency(model), expected, 1e-7 * expected);
}

// Small random noise excites every frequency; 2/w is the limit, 2 pi/w of Barbic 2007 is not.
TEST(FullCentralDifferences, stable_below_two_over_the_largest_frequency) {
  const StvkModel model = held_beam(4, 1, 2, 0.1);
  const double limit = 2.0 / largest_angular_frequency(model);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.dof_count());
  std::srand(1);
  const Eigen::VectorXd noise =
      1e-9 * model.expand(Eigen::VectorXd::Random(model.free_dof_count()));
  FullCentralDifferences body(model, 0.98 * limit);
  EXPECT_NEAR(body.largest_step(), limit, 1e-12 * limit);
  body.set_state(noise, none, none);
  for (int i = 0; i < 2000; ++i) body.step(none);
  // At 0.98 of the limit the amplitude is at most 1/sqrt(1 - 0.98^2) = 5 times the initial one.
  EXPECT_LE(body.displacement().norm(), 10.0 * noise.norm());
  EXPECT_THROW(FullCentralDifferences(model, 1.02 * limit), InputError);
  EXPECT_THROW(FullCentralDifferences(model, M_PI * limit), InputError);
}

// The refused step is unstable: the scheme, applied to the highest mode, grows.
TEST(FullCentralDifferences, the_refused_step_grows) {
  const StvkModel model = held_beam(4, 1, 2, 0.1);
  const double w = largest_angular_frequency(model);
  const Eigen::MatrixXd K = model.stiffness_at_rest();
  const Eigen::VectorXd m = Eigen::MatrixXd(model.mass(MassKind::kLumped)).diagonal();
  std::srand(1);
  const Eigen::VectorXd start = 1e-9 * Eigen::VectorXd::Random(K.rows());
  for (const auto& [fraction, stable] : {std::pair{0.98, true}, {1.02, false}, {M_PI, false}}) {
    const double dt = fraction * 2.0 / w;
    Eigen::VectorXd before = start, now = start;
    for (int i = 0; i < 300; ++i) {
      const Eigen::VectorXd next = 2.0 * now - before - dt * dt * (K * now).cwiseQuotient(m);
      before = now;
      now = next;
    }
    EXPECT_EQ(now.norm() < 1e3 * start.norm(), stable) << fraction;
  }
}

TEST(FullCentralDifferences, damping_shortens_the_stable_step_and_holds_at_it) {
  const StvkModel model = held_beam(4, 1, 2, 0.1);
  const double w = largest_angular_frequency(model);
  const RayleighDamping damping{1.0, 0.4 / w};
  const double limit = stable_step(w, damping);
  EXPECT_LT(limit, 2.0 / w);
  FullCentralDifferences body(model, 0.98 * limit, damping);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.dof_count());
  std::srand(2);
  const Eigen::VectorXd noise =
      1e-9 * model.expand(Eigen::VectorXd::Random(model.free_dof_count()));
  body.set_state(noise, none, none);
  for (int i = 0; i < 1000; ++i) body.step(none);
  EXPECT_LE(body.displacement().norm(), 10.0 * noise.norm());
}

// Both schemes are second order with different masses (lumped, consistent): on a mesh this coarse
// lumping moves 6 % of the tip's deflection after a quarter of a period.
TEST(FullCentralDifferences, follows_the_implicit_run) {
  const StvkModel model = held_beam(8, 1, 2, 0.1);
  Eigen::VectorXd load = Eigen::VectorXd::Zero(model.dof_count());
  load[3 * (model.vertex_count() - 1) + 1] = 20.0;
  const double w1 = std::sqrt(linear_modes(model, factor_rest_stiffness(model), 1).eigenvalues[0]);
  const double end = 0.25 * 2.0 * M_PI / w1;
  const auto tip_after = [&](FullDynamics& body) {
    for (int i = 0; i < static_cast<int>(std::lround(end / body.dt())); ++i) body.step(load);
    return body.displacement()[3 * (model.vertex_count() - 1) + 1];
  };
  const int explicit_steps =
      static_cast<int>(std::ceil(end / (0.9 * 2.0 / largest_angular_frequency(model))));
  FullCentralDifferences fast(model, end / explicit_steps);
  FullNewmarkSettings settings;
  settings.iterations = 4;
  FullNewmark slow(model, end / 100, {}, settings);
  const double a = tip_after(fast), b = tip_after(slow);
  EXPECT_GT(b, 0.05);
  EXPECT_NEAR(a, b, 0.1 * b);
}

}  // namespace
}  // namespace haptic
