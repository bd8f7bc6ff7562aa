#include "lab/linear_reference/modal_dynamics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "shared/error.h"
#include "tests/lab/linear_reference/poked_block.h"

namespace haptic::lab {
namespace {

using Eigen::VectorXd;

TEST(ModalDynamics, damping_coefficients_are_those_of_rayleigh_and_a_mode_decays_with_them) {
  const LinearBody body = poked_block();
  const FreeModes modes(body, 3);
  const RayleighDamping damping{2.0, 1e-4};
  const VectorXd d =
      ModalDynamics(modes.shapes, modes.eigenvalues, damping, 1e-3).damping_coefficients();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(d[i], 2.0 + 1e-4 * modes.eigenvalues[i]);

  // Free decay of the first mode over five periods: q falls by exp(-d t / 2). Backward Euler adds
  // a damping of h omega^2 / 2 per d / 2, so that h must be far below d / omega^2.
  const double omega2 = modes.eigenvalues[0], rate = 0.5 * d[0];
  const double damped = std::sqrt(omega2 - rate * rate), period = 2.0 * M_PI / damped;
  double last_error = 0.0;
  for (const double refine : {1.0, 10.0}) {
    const double h = 1e-3 * d[0] / omega2 / refine;
    ModalDynamics dynamics(modes.shapes, modes.eigenvalues, damping, h);
    // q(t) = exp(-rate t) cos(damped t): velocity -rate at the start.
    dynamics.set_state(VectorXd::Unit(3, 0), -rate * VectorXd::Unit(3, 0));
    const auto steps = static_cast<int>(std::lround(5.0 * period / h));
    for (int i = 0; i < steps; ++i) dynamics.step(VectorXd::Zero(body.size()));
    const double t = steps * h;
    const double error =
        std::abs(dynamics.q()[0] / (std::exp(-rate * t) * std::cos(damped * t)) - 1);
    EXPECT_LT(error, refine > 1.0 ? 0.01 : 0.1);
    if (refine > 1.0) {
      EXPECT_NEAR(error, last_error / refine, 0.3 * last_error / refine);
    }
    last_error = error;
    EXPECT_EQ(dynamics.q()[1], 0.0);
  }
}

TEST(ModalDynamics, a_constant_force_ends_at_the_statics_of_the_modes) {
  const LinearBody body = poked_block();
  const FreeModes modes(body, 5);
  ModalDynamics dynamics(modes.shapes, modes.eigenvalues, {5.0, 1e-3}, 0.01);
  VectorXd f = VectorXd::Zero(body.size());
  f[3 * body.model.free_index(block_vertex(2, 2, 4)) + 2] = -0.1;
  for (int i = 0; i < 5000; ++i) dynamics.step(f);
  const VectorXd q = (modes.shapes.transpose() * f).cwiseQuotient(modes.eigenvalues);
  EXPECT_LT((dynamics.q() - q).norm(), 1e-10 * q.norm());
  EXPECT_LT((dynamics.displacement() - modes.shapes * q).norm(),
            1e-10 * dynamics.displacement().norm());
}

TEST(ModalDynamics, steps_to_a_target_meet_it_where_the_modes_can) {
  const LinearBody body = poked_block();
  const ContactRows H = contact_rows(body, {{{block_vertex(2, 2, 4), 1.0}}});
  const Eigen::Vector3d target(0.001, 0.002, -0.003);
  for (const int k : {2, 12}) {
    const FreeModes modes(body, k);
    ModalDynamics dynamics(modes.shapes, modes.eigenvalues, {}, 0.01);
    for (int i = 0; i < 5; ++i) dynamics.step_to(H, target);
    const double error = (H * dynamics.displacement() - target).norm() / target.norm();
    if (k == 12) {
      EXPECT_LT(error, 1e-9);
    } else {
      EXPECT_GT(error, 0.01);  // two modes cannot move a point in three directions
    }
  }
  EXPECT_THROW(ModalDynamics(FreeModes(body, 1).shapes, VectorXd::Ones(1), {}, 0.0), InputError);
}

}  // namespace
}  // namespace haptic::lab
