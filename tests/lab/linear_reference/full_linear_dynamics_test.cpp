#include "lab/linear_reference/full_linear_dynamics.h"

#include <gtest/gtest.h>

#include "lab/linear_reference/full_linear_statics.h"
#include "lab/linear_reference/modal_dynamics.h"
#include "shared/error.h"
#include "tests/lab/linear_reference/poked_block.h"

namespace haptic::lab {
namespace {

using Eigen::VectorXd;

TEST(FullLinearDynamics, equals_the_dynamics_of_all_modes) {
  const LinearBody body = poked_block({3.0, 1e-3});
  const FreeModes modes(body, body.size());
  FullLinearDynamics full(body, 0.005);
  ModalDynamics modal(modes.shapes, modes.eigenvalues, body.damping, 0.005);
  VectorXd f = VectorXd::Zero(body.size());
  f[3 * body.model.free_index(block_vertex(4, 4, 4)) + 1] = 0.05;
  f[3 * body.model.free_index(block_vertex(0, 1, 3))] = -0.02;
  const ContactRows H = contact_rows(body, {{{block_vertex(2, 2, 4), 1.0}}});
  for (int i = 0; i < 40; ++i) {
    if (i < 20) {
      full.step(f);
      modal.step(f);
    } else {
      const Eigen::Vector3d target(0.0, 0.001, -0.002);
      const VectorXd force = full.step_to(H, target);
      EXPECT_LT((modal.step_to(H, target) - force).norm(), 1e-8 * force.norm());
      EXPECT_LT((H * full.displacement() - target).norm(), 1e-10 * target.norm());
    }
    // Condition of the modes' basis (mass ratios of 8) times rounding, over 40 steps.
    EXPECT_LT((full.displacement() - modal.displacement()).norm(),
              1e-9 * full.displacement().norm());
  }
}

TEST(FullLinearDynamics, a_held_contact_ends_at_the_statics) {
  const LinearBody body = poked_block({20.0, 1e-2});
  const ContactRows H = contact_rows(body, {{{block_vertex(2, 2, 4), 1.0}}});
  const Eigen::Vector3d target(0.0, 0.001, -0.005);
  const ContactSolution statics = solve_full_statics(body, H, target);
  FullLinearDynamics full(body, 0.02);
  VectorXd force;
  for (int i = 0; i < 3000; ++i) force = full.step_to(H, target);
  EXPECT_LT((full.displacement() - statics.displacement).norm(),
            1e-9 * statics.displacement.norm());
  EXPECT_LT((force - statics.contact_force).norm(), 1e-8 * force.norm());
  EXPECT_LT(full.velocity().norm(), 1e-9 * full.displacement().norm());
}

TEST(FullLinearDynamics, free_motion_loses_energy_and_rest_stays_at_rest) {
  const LinearBody body = poked_block();
  FullLinearDynamics full(body, 0.002);
  full.step(VectorXd::Zero(body.size()));
  EXPECT_EQ(full.displacement().norm(), 0.0);
  VectorXd v = VectorXd::Zero(body.size());
  for (Eigen::Index i = 0; i < v.size(); i += 3) v[i] = 0.1;
  full.set_state(VectorXd::Zero(body.size()), v);
  const auto energy = [&] {
    return 0.5 * full.velocity().dot(body.mass.cwiseProduct(full.velocity())) +
           0.5 * full.displacement().dot(body.K * full.displacement());
  };
  double last = energy();
  for (int i = 0; i < 100; ++i) {
    full.step(VectorXd::Zero(body.size()));
    EXPECT_LT(energy(), last * (1.0 + 1e-12));
    last = energy();
  }
  EXPECT_THROW(FullLinearDynamics(body, -1.0), InputError);
}

}  // namespace
}  // namespace haptic::lab
