#include "lab/linear_reference/full_linear_statics.h"

#include <gtest/gtest.h>

#include "lab/linear_reference/static_compliance.h"
#include "tests/lab/linear_reference/poked_block.h"

namespace haptic::lab {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(FullLinearStatics, contacts_get_their_displacement_and_other_nodes_no_force) {
  const LinearBody body = poked_block();
  const ContactRows H =
      contact_rows(body, {{{block_vertex(1, 2, 4), 0.4}, {block_vertex(2, 2, 4), 0.6}}});
  const Eigen::Vector3d target(0.001, 0.0, -0.004);
  const ContactSolution solution = solve_full_statics(body, H, target);
  EXPECT_LT((H * solution.displacement - target).norm(), 1e-10 * target.norm());
  const VectorXd f = body.K * solution.displacement;
  EXPECT_LT((f - H.transpose() * solution.contact_force).norm(), 1e-10 * f.norm());
  // Linear.
  const ContactSolution doubled = solve_full_statics(body, H, 2.0 * target);
  EXPECT_LT((doubled.contact_force - 2.0 * solution.contact_force).norm(),
            1e-12 * doubled.contact_force.norm());
  EXPECT_LT((doubled.displacement - 2.0 * solution.displacement).norm(),
            1e-12 * doubled.displacement.norm());
}

TEST(FullLinearStatics, two_contacts_are_not_the_sum_of_single_ones) {
  const LinearBody body = poked_block();
  const PointWeights a = {{block_vertex(1, 2, 4), 1.0}}, b = {{block_vertex(3, 2, 4), 1.0}};
  const ContactRows both = contact_rows(body, {a, b});
  VectorXd target(6);
  target << 0.0, 0.0, -0.004, 0.001, 0.0, -0.002;
  const ContactSolution together = solve_full_statics(body, both, target);
  EXPECT_LT((both * together.displacement - target).norm(), 1e-10 * target.norm());
  const VectorXd sum =
      solve_full_statics(body, contact_rows(body, {a}), target.head<3>()).displacement +
      solve_full_statics(body, contact_rows(body, {b}), target.tail<3>()).displacement;
  EXPECT_GT((both * sum - target).norm(), 0.1 * target.norm());
}

TEST(FullLinearStatics, a_dense_compliance_gives_the_same) {
  const LinearBody body = poked_block();
  const ContactRows H = contact_rows(body, {{{block_vertex(2, 2, 4), 1.0}}});
  const Eigen::Vector3d target(0.002, 0.001, -0.003);
  const MatrixXd C = body.factor.solve(MatrixXd::Identity(body.size(), body.size()));
  const ContactSolution sparse = solve_full_statics(body, H, target),
                        dense = solve_statics(C, H, target);
  EXPECT_LT((sparse.displacement - dense.displacement).norm(), 1e-10 * sparse.displacement.norm());
  EXPECT_LT((sparse.contact_force - dense.contact_force).norm(),
            1e-10 * sparse.contact_force.norm());
}

}  // namespace
}  // namespace haptic::lab
